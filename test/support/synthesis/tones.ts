import type { DefectOrders } from '../../../workflows/domain/rating/vibration/bearings/bearing';
import type { WindowFunction } from '../../../workflows/domain/measurement/spectrum';
import { windowTerms } from './fourier';
import { between, normal, type Random } from './random';

/** A tone: its place in lines, its amplitude over a floor of 1, and how far it wanders from average to average, in lines. */
type Tone = { readonly at: number; readonly amplitude: number; readonly jitter: number };

interface Comb {
  /** The fundamental in lines, the decibels of its first harmonic over the floor, and how fast the others fall. */
  readonly at: number;
  readonly decibels: number;
  readonly fall?: number;
  /** Distance of sidebands in lines. */
  readonly side?: number;
  /** The share by which it wanders. */
  readonly jitter?: number;
}

/** The harmonics of a machine's part, with their sidebands. */
export const combOf = (random: Random, { at, decibels, fall = 0.5, side = 0, jitter = 0 }: Comb): ReadonlyArray<Tone> =>
  Array.from({ length: 60 }, (_, index) => index + 1).flatMap((number) => {
    const amplitude = (10 ** (decibels / 20) / number ** fall) * between(random, 0.5, 1.5);
    const sides = side === 0 ? [0] : [-2, -1, 0, 1, 2];
    return sides.map((times) => ({
      at: number * at + times * side,
      amplitude: amplitude / (1 + Math.abs(times)),
      jitter: jitter * number * at,
    }));
  });

interface Recorded {
  readonly count: number;
  readonly averages: number;
  readonly tones?: ReadonlyArray<Tone>;
  /** By how many decibels the floor falls to the last line, and what a resonance in the middle adds. */
  readonly slope?: number;
  readonly resonance?: number;
  /** The window that the noise is seen through: its lines depend on their neighbours. Absent: they do not. */
  readonly noiseWindow?: WindowFunction;
}

/** Averaged lines of `tones` through Hann's window, in Gaussian noise: Rayleigh lines where nothing else is. */
export const recorded = (
  random: Random,
  { count, averages, tones = [], slope = 0, resonance = 0, noiseWindow = 'rectangular' }: Recorded,
): Float64Array => {
  const power = new Float64Array(count);
  const floor = Float64Array.from(power, (_, line) => {
    const off = (line - count / 2) / (count / 40);
    return 10 ** ((resonance / (1 + off ** 2) - (slope * line) / count) / 20);
  });
  for (let average = 0; average < averages; average += 1) {
    const noise = (): Float64Array => {
      const lines = through(
        noiseWindow,
        floor.map(() => normal(random) * Math.SQRT1_2),
      );
      return lines.map((height, line) => height * (floor[line] ?? 0));
    };
    const [re, im] = [noise(), noise()];
    for (const { at, amplitude, jitter } of tones) {
      const place = at + jitter * normal(random);
      const phase = between(random, 0, 2 * Math.PI);
      for (let line = Math.max(Math.ceil(place - 3), 0); line <= Math.min(place + 3, count - 1); line += 1) {
        const height = (floor[line] ?? 0) * amplitude * hann(line - place) * (line % 2 === 0 ? 1 : -1);
        re[line] = (re[line] ?? 0) + height * Math.cos(phase);
        im[line] = (im[line] ?? 0) + height * Math.sin(phase);
      }
    }
    power.forEach((sum, line) => (power[line] = sum + (re[line] ?? 0) ** 2 + (im[line] ?? 0) ** 2));
  }
  return power.map((sum) => Math.sqrt(sum / averages));
};

/** Lines as a window shows them: each takes part of its neighbours. */
const through = (window: WindowFunction, lines: Float64Array): Float64Array =>
  lines.map((_, line) =>
    windowTerms[window].reduce(
      (sum, term, off) => sum + (term / 2) * ((lines[line - off] ?? 0) + (lines[line + off] ?? 0)),
      0,
    ),
  );

/** What Hann's window shows of a tone `off` lines away. */
const hann = (off: number): number => {
  if (off === 0) return 1;
  return Math.abs(Math.abs(off) - 1) < 1e-9
    ? 0.5
    : Math.abs(Math.sin(Math.PI * off) / (Math.PI * off * (1 - off ** 2)));
};

/** The orders of a bearing of `elements`, whose ratio of diameters is `ratio`. */
export const ordersBy = (elements: number, ratio: number): DefectOrders => ({
  ftf: (1 - ratio) / 2,
  bsf: (1 - ratio ** 2) / (2 * ratio),
  bpfo: (elements * (1 - ratio)) / 2,
  bpfi: (elements * (1 + ratio)) / 2,
});
