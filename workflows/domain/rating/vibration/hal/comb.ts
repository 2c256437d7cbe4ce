import { valueAt } from '../spectral-lines';
import type { Excess } from './excess';
import { halConstants } from './hal-constants';

/** Steps of the grid of fundamentals from line to line: between two steps the last harmonic moves by a line. */
export const STEPS = 10;

/** Steps whose greatest score is kept, so that a search passes over them. */
export const BLOCK = 64;

/** The weight where no harmonic lies in the spectrum: the sum is 0 there, and so is the score. */
const LEAST_WEIGHT = 1e-300;

/** The numbers of the harmonics that count. */
export const harmonicNumbers: ReadonlyArray<number> = Array.from({ length: halConstants.harmonics }, (_, at) => at + 1);

/** How well a comb at every fundamental of a fine grid matches the lines. */
export interface CombScores {
  /** By step, the weighted mean excess of its harmonics. */
  readonly scores: Readonly<Float64Array>;
  /** By step, 1 where a family or a multiple of the shaft runs: known, and so no rival. */
  readonly known: Readonly<Uint8Array>;
  /** The greatest score of each block that is not known. */
  readonly blocks: Readonly<Float64Array>;
}

/** The steps that families `expected` at these and their rivals need: 1 where a fundamental is known. */
export const knownSteps = ({ excess, origin, turn }: Excess, expected: ReadonlyArray<number>): Uint8Array => {
  const { slip, onShaft, rivalsTo, resolved } = halConstants;
  const most = expected.reduce((greatest, one) => Math.max(greatest, one), 0);
  const greatest = Math.min(rivalsTo * most, (excess.length - 1 - origin) / 2); // one line is no comb
  const known = new Uint8Array(Math.floor(greatest * STEPS) + 1);
  const know = (at: number, share: number): void => {
    known.fill(1, Math.ceil(at * (1 - share) * STEPS), Math.floor(at * (1 + share) * STEPS) + 1);
  };
  for (const at of expected) know(at, slip);
  if (turn >= resolved) for (let at = turn; at <= greatest; at += turn) know(at, onShaft);
  return known;
};

/** Scores each step of `known` by the excess that counts. */
export const combScores = (
  { origin, first, last }: Excess,
  counted: Readonly<Float64Array>,
  known: Readonly<Uint8Array>,
): CombScores => {
  const { harmonics } = halConstants;
  const weights = Float64Array.from([0, ...harmonicNumbers], (number) => (number === 0 ? 0 : 1 / Math.sqrt(number)));
  const totals = weights.map((_, number) => weights.subarray(0, number + 1).reduce((sum, one) => sum + one, 0));
  const scores = new Float64Array(known.length);
  const blocks = new Float64Array(Math.ceil(known.length / BLOCK));
  const [lowest, highest] = [first - 0.5 - origin, last + 0.5 - origin];
  const offsets = new Float64Array(harmonics + 1);
  // Ten steps on, the harmonic of a number lies as many lines on: so steps with the same rest are scored together.
  for (let rest = 0; rest < STEPS; rest += 1) {
    for (const number of harmonicNumbers) offsets[number] = Math.round((number * rest) / STEPS + origin);
    let from = harmonics + 1;
    let to = harmonics;
    for (let step = rest, line = 0; step < scores.length; step += STEPS, line += 1) {
      const at = step / STEPS;
      // The higher the fundamental, the fewer of its harmonics lie below the last line, and the more above the first.
      while (from > 1 && (from - 1) * at >= lowest) from -= 1;
      while (to >= from && to * at >= highest) to -= 1;
      let sum = 0;
      for (let number = from; number <= to; number += 1)
        sum += valueAt(weights, number) * valueAt(counted, number * line + valueAt(offsets, number));
      const score = sum / (valueAt(totals, to) - valueAt(totals, from - 1) + LEAST_WEIGHT);
      const block = Math.floor(step / BLOCK);
      scores[step] = score;
      if (known[step] === 0 && score > valueAt(blocks, block)) blocks[block] = score;
    }
  }
  return { scores, known, blocks };
};
