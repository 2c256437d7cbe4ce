import { valueAt } from '../lines';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { ceil, floor, max, min, sqrt } = Math;

/** How well a comb at every fundamental of a fine grid matches the lines. */
export interface CombScores {
  /** By step, the weighted mean excess of the comb's first harmonics. */
  readonly scores: Readonly<Float64Array>;
  /** The greatest of each block of scores that may be rivals. */
  readonly blocks: Readonly<Float64Array>;
}

/** The fundamentals of the grid, in steps: the tenth harmonic moves by a line. */
export const STEPS = halConstants.harmonics;
export const BLOCK = 64;

/** Steps that are summed at a time: they stay in the processor's nearest cache. */
const CHUNK = 2_048;

/**
 * Scores the comb of every step; `shares` are those of `combShares`.
 *
 * `known` steps are no rivals, 1 by step.
 */
export const combScores = (
  excess: Readonly<Float64Array>,
  origin: number,
  shares: Readonly<Float64Array>,
  known: Readonly<Uint8Array>,
): CombScores => {
  const { leastExcess, mostExcess } = halConstants;
  const bounded = excess.map((over) =>
    over === over ? (over < leastExcess ? leastExcess : over > mostExcess ? mostExcess : over) : 0,
  );
  const scores = combSums(bounded, origin, shares.length);
  const blocks = new Float64Array(ceil(scores.length / BLOCK));
  for (let block = 0; block < blocks.length; block += 1) {
    const end = min(scores.length, (block + 1) * BLOCK);
    let most = 0;
    for (let step = block * BLOCK; step < end; step += 1) {
      const score = valueAt(scores, step) * valueAt(shares, step);
      scores[step] = score;
      if (score > most && known[step] === 0) most = score;
    }
    blocks[block] = most;
  }
  return { scores, blocks };
};

/** By step up to `steps`, what makes a mean of the sum of weighted harmonics: only lines with an excess count. */
export const combShares = (excess: Readonly<Float64Array>, origin: number, steps: number): Readonly<Float64Array> =>
  combSums(
    excess.map((over) => (over === over ? 1 : 0)),
    origin,
    steps,
  ).map((weight) => (weight > 0 ? 1 / weight : 0));

/** By step, the sum of `values` at its harmonics, each by its weight. */
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
        const weighted = weight * valueAt(values, line);
        for (; step < end; step += 1) sums[step] = valueAt(sums, step) + weighted;
      }
    }
  }
  return sums;
};
