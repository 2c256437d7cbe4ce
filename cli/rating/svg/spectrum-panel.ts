import type { Status } from '../../../workflows/domain/alarm/status';
import type { ExaminedHal } from '../../../workflows/domain/rating/vibration/hal/examine-hal';
import type { ExaminedSpectrum } from '../../../workflows/domain/rating/rate-spectrum';
import { firstLineFrom } from '../../../workflows/domain/rating/vibration/spectral-lines';
import { colourOf, colours, element, LEFT, line, rect, RIGHT, short, text, type Attributes } from './elements';

/** A HAL whose harmonics are marked in the spectrum. */
interface Marked {
  readonly label: string;
  readonly status: Status;
  readonly hal: ExaminedHal;
}

export const SPECTRUM_HEIGHT = 330;
const TOP = 40;

/** The spectrum by a logarithmic amplitude, its noise floor, bands and marked harmonics, from `y` down. */
export const spectrumPanel = (
  y: number,
  { lines, noiseFloor, bands }: Pick<ExaminedSpectrum, 'lines' | 'noiseFloor' | 'bands'>,
  bandNames: ReadonlyArray<string>,
  marked: Marked | undefined,
  yUnit: string,
): ReadonlyArray<string> => {
  const last = lines.hz.at(-1) ?? 0;
  const highest = last > 0 ? last : 1; // a single line may lie at 0 Hz
  const [top, bottom] = [y + TOP, y + SPECTRUM_HEIGHT - 40];
  const { least, most } = rangeOf(lines.amplitudes, noiseFloor);
  const xAt = (hz: number): number => LEFT + ((RIGHT - LEFT) * Math.min(Math.max(hz, 0), highest)) / highest;
  const yAt = (amplitude: number): number =>
    bottom - ((bottom - top) * Math.log(Math.max(amplitude, least) / least)) / Math.log(most / least);
  return [
    ...bands.flatMap(({ edges: [min, max] }, at) => [
      rect(xAt(min), top, xAt(max) - xAt(min), bottom - top, BAND),
      text(xAt(min), top - 5 - 14 * (at % 2), bandNames[at] ?? '', { fill: colours.ink }),
    ]),
    ...decades(least, most).flatMap((amplitude) => [
      line(LEFT, yAt(amplitude), RIGHT, yAt(amplitude), { stroke: colours.grid }),
      text(LEFT - 6, yAt(amplitude) + 4, short(amplitude), { 'text-anchor': 'end', fill: colours.faint }),
    ]),
    ...ticks(highest).flatMap((hz) => [
      line(xAt(hz), bottom, xAt(hz), bottom + 5, { stroke: colours.faint }),
      text(xAt(hz), bottom + 19, short(hz), { 'text-anchor': 'middle', fill: colours.faint }),
    ]),
    text(RIGHT, bottom + 34, 'Hz', { 'text-anchor': 'end', fill: colours.faint }),
    text(LEFT - 6, top - 10, yUnit, { 'text-anchor': 'end', fill: colours.faint }),
    curve(columns(lines.hz, lines.amplitudes, xAt), yAt, { stroke: colours.line, 'stroke-width': 1 }),
    curve(columns(lines.hz, noiseFloor, xAt), yAt, FLOOR),
    ...(marked === undefined ? [] : marked.hal.harmonics.flatMap((one) => marker(one, marked, xAt, yAt, top, bottom))),
  ];
};

const BAND = { fill: '#66ccee', 'fill-opacity': 0.25, stroke: '#66ccee' };
const FLOOR = { stroke: colours.floor, 'stroke-width': 1.5, 'stroke-dasharray': '5 3' };

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
    line(x, tip, x, bottom, { stroke: colour, 'stroke-width': 1, ...dashes }),
    element('polygon', { points: shape, fill: isFound ? colour : 'white', stroke: colour }),
    text(x, Math.max(tip - 15, top + 10), labelOf(number, label, isFound, x - xAt(0)), {
      'text-anchor': 'middle',
      'font-weight': isFound ? 'bold' : 'normal',
      fill: isFound ? colour : colours.faint,
    }),
  ];
};

/** What fits between two harmonics: number and name, the number, or a number now and then; `x` is the harmonic's own (pixels). */
const labelOf = (number: number, name: string, isFound: boolean, x: number): string => {
  const room = x / number;
  if (room < 26) return [1, 5, 10].includes(number) ? `${number}×` : '';
  return room >= 14 + 8 * name.length + 20 && isFound ? `${number}× ${name}` : `${number}×`;
};

/** The spectrum from 0 Hz up to `highest`, without the bands. */
export const lowPartOf = ({ lines, noiseFloor }: ExaminedSpectrum, highest: number) => {
  const count = firstLineFrom(lines, highest);
  const { hz, amplitudes } = lines;
  return {
    lines: { ...lines, hz: hz.subarray(0, count), amplitudes: amplitudes.subarray(0, count) },
    noiseFloor: noiseFloor.slice(0, count),
    bands: [],
  };
};

/** The greatest value of each column of pixels: more lines than those cannot be seen. */
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

/** From well below the noise floor, or from a thousandth of the greatest line, to a little above that. */
const rangeOf = (amplitudes: Readonly<Float64Array>, noiseFloor: ReadonlyArray<number>) => {
  const greatest = amplitudes.reduce((one, other) => Math.max(one, other), 0);
  const floors = noiseFloor.filter((value) => value > 0);
  const most = greatest > 0 ? greatest * 2.5 : 1;
  const lowest = floors.length > 0 ? Math.min(...floors) / 2 : most / 2_500;
  return { most, least: Math.max(lowest, most / 1e7) };
};

const decades = (least: number, most: number): ReadonlyArray<number> => {
  const first = Math.ceil(Math.log10(least));
  const count = Math.floor(Math.log10(most)) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => 10 ** (first + at));
};

/** About ten round frequencies. */
const ticks = (highest: number): ReadonlyArray<number> => {
  const rough = highest / 10;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * decade).find((one) => one >= rough) ?? rough;
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, at) => at * step);
};
