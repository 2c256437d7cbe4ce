import { valueAt } from '../lines';
import type { Excess } from './excess';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { ceil, floor, max, min, sqrt } = Math;

/** Steps of the grid of fundamentals from line to line: between two steps the last harmonic moves by a line or so. */
export const STEPS = 10;

/** Steps whose greatest score is kept, so that a search passes over them. */
export const BLOCK = 64;

/** Steps that are summed at a time: they stay in the processor's nearest cache. */
const CHUNK = 2_048;

/** The weight where no harmonic is compared: their sum is 0 there, and so is the score. */
const LEAST_WEIGHT = 1e-300;

/** The numbers of the harmonics that count. */
export const harmonicNumbers: ReadonlyArray<number> = Array.from({ length: halConstants.harmonics }, (_, at) => at + 1);

/** How well a comb at every fundamental of a fine grid matches the lines. */
export interface CombScores {
  /** By step, the weighted mean excess of its harmonics. */
  readonly scores: Readonly<Float64Array>;
  /** The greatest of each block of scores that may be rivals. */
  readonly blocks: Readonly<Float64Array>;
  /** By step, 1 where a family or a multiple of the shaft runs: known, and so no rival. */
  readonly known: Readonly<Uint8Array>;
}

/** Scores the fundamentals that families `expected` at these, and their rivals, need: by the excess that counts. */
export const combScorer = (
  { excess, origin, shaft }: Excess,
  expected: ReadonlyArray<number>,
): ((counted: Readonly<Float64Array>) => CombScores) => {
  const { slip, onShaft, rivalsTo, resolved } = halConstants;
  const most = expected.reduce((greatest, one) => max(greatest, one), 0);
  const greatest = min(rivalsTo * most, (excess.length - 1 - origin) / 2); // one line is no comb
  const known = new Uint8Array(floor(greatest * STEPS) + 1);
  const know = (at: number, share: number): void => {
    known.fill(1, ceil(at * (1 - share) * STEPS), floor(at * (1 + share) * STEPS) + 1);
  };
  for (const at of expected) know(at, slip);
  if (shaft >= resolved) for (let at = shaft; at <= greatest; at += shaft) know(at, onShaft);
  const weights = weightsOf(excess, origin, known.length);
  return (counted) => {
    const scores = combSums(counted, origin, known.length);
    const blocks = new Float64Array(ceil(scores.length / BLOCK));
    for (let block = 0; block < blocks.length; block += 1) {
      const end = min(scores.length, (block + 1) * BLOCK);
      let best = 0;
      for (let step = block * BLOCK; step < end; step += 1) {
        const score = valueAt(scores, step) / valueAt(weights, step);
        scores[step] = score;
        if (score > best && known[step] === 0) best = score;
      }
      blocks[block] = best;
    }
    return { scores, blocks, known };
  };
};

/** By step, the weights of the harmonics that lie between the first and the last line with an excess. */
const weightsOf = (excess: Readonly<Float64Array>, origin: number, steps: number): Float64Array => {
  const weights = new Float64Array(steps).fill(LEAST_WEIGHT);
  const isCompared = (over: number): boolean => over === over;
  const [first, last] = [excess.findIndex(isCompared), excess.findLastIndex(isCompared)];
  for (const number of harmonicNumbers) {
    const weight = 1 / sqrt(number);
    const to = min(steps, ceil(((last + 0.5 - origin) * STEPS) / number));
    for (let step = max(1, ceil(((first - 0.5 - origin) * STEPS) / number)); step < to; step += 1)
      weights[step] = valueAt(weights, step) + weight;
  }
  return weights;
};

/** By step, the sum of `values` at its harmonics, each by its weight; NaN counts as 0. */
const combSums = (values: Readonly<Float64Array>, origin: number, steps: number): Float64Array => {
  const { harmonics } = halConstants;
  const sums = new Float64Array(steps);
  const { length } = values;
  for (let from = 1; from < steps; from += CHUNK) {
    const to = min(from + CHUNK, steps);
    for (let number = 1; number <= harmonics; number += 1) {
      const weight = 1 / sqrt(number);
      const perLine = STEPS / number;
      // The steps whose harmonic lies nearest to one line are neighbours.
      let step = max(from, ceil((-0.5 - origin) * perLine));
      for (let line = max(0, floor(step / perLine + origin + 0.5)); line < length && step < to; line += 1) {
        const end = min(to, ceil((line + 0.5 - origin) * perLine));
        const value = valueAt(values, line);
        const weighted = value === value ? weight * value : 0;
        for (; step < end; step += 1) sums[step] = valueAt(sums, step) + weighted;
      }
    }
  }
  return sums;
};
