import * as E from 'fp-ts/Either';
import { orders6205, spectrumOf } from '../../test/support/synthesis/machine';
import { randomOf } from '../../test/support/synthesis/random';
import { faults, fourHals, measurementOf } from '../../test/support/synthesis/trial';
import { examineSpectrum, type ExaminedSpectrum } from '../../workflows/domain/rating/examine-spectrum';
import { amplitudeAt, hzAt, lineNearest } from '../../workflows/domain/rating/vibration/lines';
import { plotPicture, type Series } from './plot';
import { colours } from './svg';
import { numberIn, rowsOf, type Row } from './tables';

const SHAFT_HZ = 24.7;
const SHOWN_HZ = 500;

/** A peak is marked from so many times the noise floor on. */
const MARKED = 3.5;

/** The worked example of docs/hal.md as the service rates it: the spectrum, and what each fault's HAL found there. */
const example = () => {
  const machine = { shaftHz: SHAFT_HZ, orders: orders6205, fault: 'bpfi', slip: -0.008, snr: 24 } as const;
  const measurement = measurementOf(SHAFT_HZ, spectrumOf(machine, randomOf(42)));
  const examined = rightOf(examineSpectrum({ halAlarms: fourHals }, [], measurement));
  return { examined, found: examined.hals.map((hal) => rightOf(hal).prominence) };
};

/** The example's spectrum up to 500 Hz, with what stands out of it. */
export const halSpectrumPicture = (): string => {
  const { examined, found } = example();
  const { lines, noiseFloor } = examined;
  const bpfi = multiplesOf(found[faults.indexOf('bpfi')]?.hz ?? NaN);
  const shown = Array.from({ length: lineNearest(lines, SHOWN_HZ) + 1 }, (_, index) => index);
  // The floor is level over 41 lines: the ends of each level are enough.
  const isStep = (index: number) => [index - 1, index + 1].some((next) => noiseFloor[next] !== noiseFloor[index]);
  const marks = (name: string, colour: string, places: ReadonlyArray<number>): Series => ({
    ...{ kind: 'marks', name, colour },
    points: peaksAt(examined, places),
  });
  return plotPicture({
    title: 'An SKF 6205 at 1,482 rpm with a fault of its inner ring',
    x: { name: 'frequency, Hz', from: 0, to: SHOWN_HZ, ticks: [0, 100, 200, 300, 400, 500] },
    y: { name: 'effective value, g', from: 0.001, to: 1, ticks: [0.001, 0.01, 0.1, 1], isLogarithmic: true },
    series: [
      {
        ...{ kind: 'line', name: 'lines', colour: colours.baseline, width: 1 },
        points: shown.map((index) => [hzAt(lines, index), amplitudeAt(lines, index)]),
      },
      {
        ...{ kind: 'line', name: 'noise floor', colour: colours.ink, width: 2 },
        points: shown.filter(isStep).map((index) => [hzAt(lines, index), noiseFloor[index] ?? 0]),
      },
      marks('harmonics of BPFI', colours.dangerLine, bpfi),
      marks(
        'their sidebands',
        colours.alertLine,
        bpfi.flatMap((hz) => [hz - SHAFT_HZ, hz + SHAFT_HZ]),
      ),
      marks('harmonics of the shaft', colours.service, multiplesOf(SHAFT_HZ)),
    ],
  });
};

const ratioColours = [colours.service, colours.dangerLine, colours.baseline, colours.goodLine];

/** How many times each harmonic of each fault of the example stands above its noise floor. */
export const halRatiosPicture = (): string =>
  plotPicture({
    title: 'How many times each harmonic stands above the noise floor',
    x: { name: 'number of the harmonic', from: 0.4, to: 10.6, ticks: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
    y: { name: 'peak / noise floor, no unit', from: 0, to: 20, ticks: [0, 5, 10, 15, 20] },
    series: example().found.map(({ index, harmonics }, place) => ({
      kind: 'bars',
      name: `${faults[place]?.toUpperCase() ?? ''}: index ${index.toFixed(2)}`,
      colour: ratioColours[place] ?? colours.ink,
      points: harmonics.map(({ number, ratio }) => [number + (place - 1.5) * 0.2, ratio]),
    })),
    levels: [{ name: 'noise floor', value: 1, colour: colours.ink }],
  });

/** The columns of the table. */
const strength = 'first harmonic above the noise';
const [own, others] = ['its own index: 5 %, median, 95 %', "the others': median, greatest"];

/** The index of a fault's own HAL and of the other three, by the strength of the fault. */
export const halDetectionPicture = (tables: string): string => {
  const rows = rowsOf(tables, 'hal-detection').filter(({ [strength]: cell = '' }) => cell.endsWith(' dB'));
  const points = (column: string, place: number) =>
    rows.map((row) => [numberIn(row, strength), numberAt(row, column, place)] as const);
  const thin = { width: 1.5, dashes: '2 3' };
  return plotPicture({
    title: 'The index by the strength of the fault: 160 machines each',
    x: { name: 'first harmonic above the noise, dB', from: 6, to: 40, ticks: [6, 9, 12, 15, 18, 21, 24, 30, 40] },
    y: { name: 'halIndex, no unit', from: 1, to: 100, ticks: [1, 2, 5, 10, 20, 50, 100], isLogarithmic: true },
    series: [
      { kind: 'line', name: "the fault's own HAL, median", colour: colours.service, points: points(own, 1) },
      { kind: 'line', name: 'its least 5 %', colour: colours.service, ...thin, points: points(own, 0) },
      { kind: 'line', name: 'the other three, median', colour: colours.pale, points: points(others, 0) },
      { kind: 'line', name: 'their greatest', colour: colours.pale, ...thin, points: points(others, 1) },
    ],
    levels: [
      { name: 'alert, 3.5', value: 3.5, colour: colours.alertLine },
      { name: 'danger, 5', value: 5, colour: colours.dangerLine },
    ],
  });
};

/** The number at `place` of those in a cell, which commas part. */
const numberAt = (row: Row, column: string, place: number): number =>
  numberIn({ [column]: row[column]?.split(', ')[place] ?? '' }, column);

/** The multiples of `hz` that are shown. */
const multiplesOf = (hz: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor(SHOWN_HZ / hz) }, (_, index) => (index + 1) * hz);

/** The greatest line at or beside each of `places`, in Hz, where it stands out. */
const peaksAt = ({ lines, noiseFloor }: ExaminedSpectrum, places: ReadonlyArray<number>) =>
  places
    .map((hz) => lineNearest(lines, hz))
    .map((place) =>
      [place - 1, place + 1].reduce(
        (one, other) => (amplitudeAt(lines, other) > amplitudeAt(lines, one) ? other : one),
        place,
      ),
    )
    .filter((line) => amplitudeAt(lines, line) >= MARKED * (noiseFloor[line] ?? NaN))
    .map((line) => [hzAt(lines, line), amplitudeAt(lines, line)] as const);

const rightOf = <A>(either: E.Either<string, A>): A => {
  if (E.isLeft(either)) throw new Error(either.left);
  return either.right;
};
