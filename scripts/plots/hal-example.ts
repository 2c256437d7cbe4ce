import * as E from 'fp-ts/Either';
import { amplitudeAt, lineNearest, linesInHz, type Lines } from '../../workflows/domain/vibration/lines';
import { spectrumHarmonics } from '../../workflows/domain/vibration/hal/spectrum-harmonics';
import { orders6205, SPACING, spectrumOf } from '../synthesis/machine';
import { randomOf } from '../synthesis/random';
import { faults, measurementOf } from '../synthesis/trial';
import type { Chart } from './chart';

const SHAFT_HZ = 24.7;
const SHOWN_HZ = 500;

/** The worked example: an inner ring fault of 24 dB whose bearing slips by 0.8 %, at 1,482 rpm. */
export const example = () => {
  const machine = { shaftHz: SHAFT_HZ, orders: orders6205, fault: 'bpfi', slip: -0.008, snr: 24 } as const;
  const y = spectrumOf(machine, randomOf(42));
  const lines = rightOf(linesInHz(measurementOf(SHAFT_HZ, y).spectrum));
  const found = rightOf(spectrumHarmonics(lines)).ofBearing(orders6205);
  return { lines, found: faults.map((fault) => ({ fault, ...rightOf(found[fault]) })) };
};

/** The example's spectrum up to 500 Hz, with the peaks that BPFI picked. */
export const spectrumChart = ({ lines, found }: ReturnType<typeof example>): Chart => {
  const shown = Array.from(
    { length: Math.floor(SHOWN_HZ / SPACING) },
    (_, line) => [line * SPACING, amplitudeAt(lines, line)] as const,
  );
  return {
    title: 'A spectrum with an inner ring fault: SKF 6205 at 1,482 rpm, BPFI 24 dB above the noise, slip -0.8 %',
    x: { name: 'Hz', from: 0, to: SHOWN_HZ, ticks: [0, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500] },
    y: { name: 'g', from: 0.001, to: 1, ticks: [0.001, 0.01, 0.1, 1], logarithmic: true },
    series: [
      { kind: 'line', colour: '#607d8b', name: 'lines', points: shown },
      { kind: 'marks', colour: '#c62828', name: 'harmonics of BPFI', points: peaksOf(lines, bpfiHz(found), SHOWN_HZ) },
      { kind: 'marks', colour: '#1565c0', name: 'harmonics of the shaft', points: peaksOf(lines, SHAFT_HZ, 150) },
    ],
  };
};

/** How far each harmonic of each fault of the example stands out. */
export const ratiosChart = ({ found }: ReturnType<typeof example>): Chart => ({
  title: 'The same spectrum: how far the harmonics of each fault stand out of their carpet',
  x: { name: 'harmonic', from: 0.4, to: 10.6, ticks: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
  y: { name: 'ratio', from: 0, to: 20, ticks: [0, 5, 10, 15, 20] },
  series: found.map(({ fault, standing }, place) => ({
    kind: 'bars' as const,
    colour: ['#2e7d32', '#c62828', '#ef6c00', '#1565c0'][place] ?? '#000000',
    name: `${fault.toUpperCase()}: index ${standing.index.toFixed(1)}`,
    points: standing.ratios.map((ratio, index) => [index + 1 + (place - 1.5) * 0.17, ratio] as const),
  })),
});

/** Greatest line at or beside each harmonic of `hz`. */
const peaksOf = (lines: Lines, hz: number, upTo: number): ReadonlyArray<readonly [number, number]> =>
  Array.from({ length: Math.floor(upTo / hz) }, (_, index) => {
    const place = lineNearest(lines, (index + 1) * hz);
    return [(index + 1) * hz, Math.max(...[-1, 0, 1].map((off) => amplitudeAt(lines, place + off)))] as const;
  });

const bpfiHz = (found: ReturnType<typeof example>['found']): number =>
  found.find(({ fault }) => fault === 'bpfi')?.standing.hz ?? NaN;

const rightOf = <A>(either: E.Either<string, A>): A => {
  if (E.isLeft(either)) throw new Error(either.left);
  return either.right;
};
