import type { Status } from '../../../workflows/domain/alarm/status';
import type { ExaminedHal } from '../../../workflows/domain/rating/vibration/hal/examine-hal';
import type { ExaminedSpectrum } from '../../../workflows/domain/rating/rate-spectrum';
import { firstLineFrom } from '../../../workflows/domain/rating/vibration/spectral-lines';
import {
  colourOf,
  chartColours,
  element,
  LEFT,
  lineElement,
  rect,
  RIGHT,
  short,
  textElement,
  type Attributes,
} from './elements';

/** A HAL (harmonic alarm) whose harmonics are marked in the spectrum. */
interface Marked {
  readonly label: string;
  readonly status: Status;
  readonly hal: ExaminedHal;
}

export const SPECTRUM_HEIGHT = 330;
const TOP = 40;

/** Draws a spectrum on a logarithmic amplitude scale, with noise floor, bands and marked harmonics; `y` is the upper edge. */
export const spectrumPanel = (
  y: number,
  { lines, noiseFloor, bands }: Pick<ExaminedSpectrum, 'lines' | 'noiseFloor' | 'bands'>,
  bandNames: ReadonlyArray<string>,
  marked: Marked | undefined,
  yUnit: string,
): ReadonlyArray<string> => {
  const last = lines.hz.at(-1) ?? 0;
  const highest = last > 0 ? last : 1; // a spectrum of a single line at 0 Hz needs a width as well
  const [top, bottom] = [y + TOP, y + SPECTRUM_HEIGHT - 40];
  const { least, most } = rangeOf(lines.amplitudes, noiseFloor);
  const xAt = (hz: number): number => LEFT + ((RIGHT - LEFT) * Math.min(Math.max(hz, 0), highest)) / highest;
  const yAt = (amplitude: number): number =>
    bottom - ((bottom - top) * Math.log(Math.max(amplitude, least) / least)) / Math.log(most / least);
  return [
    ...bands.flatMap(({ edges: [min, max] }, at) => [
      rect(xAt(min), top, xAt(max) - xAt(min), bottom - top, BAND),
      textElement(xAt(min), top - 5 - 14 * (at % 2), bandNames[at] ?? '', { fill: chartColours.ink }),
    ]),
    ...decades(least, most).flatMap((amplitude) => [
      lineElement(LEFT, yAt(amplitude), RIGHT, yAt(amplitude), { stroke: chartColours.grid }),
      textElement(LEFT - 6, yAt(amplitude) + 4, short(amplitude), { 'text-anchor': 'end', fill: chartColours.faint }),
    ]),
    ...ticks(highest).flatMap((hz) => [
      lineElement(xAt(hz), bottom, xAt(hz), bottom + 5, { stroke: chartColours.faint }),
      textElement(xAt(hz), bottom + 19, short(hz), { 'text-anchor': 'middle', fill: chartColours.faint }),
    ]),
    textElement(RIGHT, bottom + 34, 'Hz', { 'text-anchor': 'end', fill: chartColours.faint }),
    textElement(LEFT - 6, top - 10, yUnit, { 'text-anchor': 'end', fill: chartColours.faint }),
    curve(columns(lines.hz, lines.amplitudes, xAt), yAt, { stroke: chartColours.line, 'stroke-width': 1 }),
    curve(columns(lines.hz, noiseFloor, xAt), yAt, FLOOR),
    ...(marked === undefined ? [] : marked.hal.harmonics.flatMap((one) => marker(one, marked, xAt, yAt, top, bottom))),
  ];
};

const BAND = { fill: '#66ccee', 'fill-opacity': 0.25, stroke: '#66ccee' };
const FLOOR = { stroke: chartColours.floor, 'stroke-width': 1.5, 'stroke-dasharray': '5 3' };

const marker = (
  { number, hz, amplitude, why }: ExaminedHal['harmonics'][number],
  { label, status }: Marked,
  xAt: (hz: number) => number,
  yAt: (amplitude: number) => number,
  top: number,
  bottom: number,
): ReadonlyArray<string> => {
  const [x, colour, isFound] = [xAt(hz), colourOf(status), why === undefined];
  const tip = isFound ? yAt(amplitude) - 5 : bottom - 30;
  const shape = `${x},${tip} ${x - 5},${tip - 10} ${x + 5},${tip - 10}`;
  const dashes = { 'stroke-dasharray': isFound ? '' : '2 4', 'stroke-opacity': 0.6 };
  return [
    lineElement(x, tip, x, bottom, { stroke: colour, 'stroke-width': 1, ...dashes }),
    element('polygon', { points: shape, fill: isFound ? colour : 'white', stroke: colour }),
    textElement(x, Math.max(tip - 15, top + 10), labelOf(number, label, isFound, x - xAt(0)), {
      'text-anchor': 'middle',
      'font-weight': isFound ? 'bold' : 'normal',
      fill: isFound ? colour : chartColours.faint,
    }),
  ];
};

/** The label of a harmonic that is `x` pixels from 0 Hz. It is shorter the less space there is between two harmonics. */
const labelOf = (number: number, name: string, isFound: boolean, x: number): string => {
  const room = x / number;
  if (room < 26) return [1, 5, 10].includes(number) ? `${number}×` : '';
  return room >= 14 + 8 * name.length + 20 && isFound ? `${number}× ${name}` : `${number}×`;
};

/** The part of the spectrum from 0 Hz up to `highest` (Hz), without the bands. */
export const lowPartOf = ({ lines, noiseFloor }: ExaminedSpectrum, highest: number) => {
  const count = firstLineFrom(lines, highest);
  const { hz, amplitudes } = lines;
  return {
    lines: { ...lines, hz: hz.subarray(0, count), amplitudes: amplitudes.subarray(0, count) },
    noiseFloor: noiseFloor.slice(0, count),
    bands: [],
  };
};

/** The greatest value in each column of pixels: more points would enlarge the file, and nobody could see them. */
const columns = (hz: ArrayLike<number>, values: ArrayLike<number>, xAt: (hz: number) => number) => {
  const greatest = new Map<number, number>();
  for (let at = 0; at < hz.length; at += 1) {
    const x = Math.round(xAt(hz[at] ?? 0));
    greatest.set(x, Math.max(greatest.get(x) ?? 0, values[at] ?? 0));
  }
  return [...greatest];
};

type Points = ReadonlyArray<readonly [x: number, amplitude: number]>;

const curve = (points: Points, yAt: (amplitude: number) => number, attributes: Attributes): string => {
  const places = points.map(([x, amplitude]) => `${x},${yAt(amplitude).toFixed(1)}`);
  return element('polyline', { points: places.join(' '), fill: 'none', ...attributes });
};

/** Least amplitude for which the scale is computed, so that the lower end of the scale, a fraction of it, is above 0. */
const FAINTEST = 1e-300;

/**
 * The ends of the amplitude scale: from half the lowest noise floor (or a thousandth of the greatest amplitude, if there is no
 * noise floor) to 2.5 times the greatest amplitude, but not more than seven decades.
 */
const rangeOf = (amplitudes: Readonly<Float64Array>, noiseFloor: ReadonlyArray<number>) => {
  const greatest = amplitudes.reduce((one, other) => Math.max(one, other), 0);
  const floors = noiseFloor.filter((value) => value > 0);
  const most = greatest > 0 ? Math.min(2.5 * Math.max(greatest, FAINTEST), Number.MAX_VALUE) : 1;
  const lowest = floors.length > 0 ? Math.min(...floors) / 2 : most / 2_500;
  return { most, least: Math.max(lowest, most / 1e7) };
};

const decades = (least: number, most: number): ReadonlyArray<number> => {
  const first = Math.ceil(Math.log10(least));
  const count = Math.floor(Math.log10(most)) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => 10 ** (first + at));
};

/** Up to eleven round frequencies (Hz) for the axis. */
const ticks = (highest: number): ReadonlyArray<number> => {
  const rough = highest / 10;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * decade).find((one) => one >= rough) ?? rough;
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, at) => at * step);
};
