import { valueAt } from '../lines';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { ceil, floor, max, min, round, sqrt } = Math;

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

/** The scores of all fundamentals up to `greatest` lines; `known` steps are no rivals, 1 by step. */
export const combScores = (
  excess: Readonly<Float64Array>,
  origin: number,
  greatest: number,
  known: Readonly<Uint8Array>,
): CombScores => {
  const { harmonics, leastExcess, mostExcess } = halConstants;
  const scores = new Float64Array(floor(greatest * STEPS) + 1);
  const { length } = excess;
  const steps = scores.length;
  const weights = new Float64Array(steps);
  for (let number = 1; number <= harmonics; number += 1) {
    const weight = 1 / sqrt(number);
    const from = max(1, ceil(((-0.5 - origin) * STEPS) / number));
    const to = min(steps, ceil(((length - 0.5 - origin) * STEPS) / number));
    for (let step = from; step < to; step += 1) {
      const over = valueAt(excess, round((step * number) / STEPS + origin));
      if (!(over === over)) continue;
      scores[step] =
        valueAt(scores, step) + weight * (over < leastExcess ? leastExcess : over > mostExcess ? mostExcess : over);
      weights[step] = valueAt(weights, step) + weight;
    }
  }
  const blocks = new Float64Array(ceil(steps / BLOCK));
  for (let step = 1; step < steps; step += 1) {
    const weight = valueAt(weights, step);
    const score = weight > 0 ? valueAt(scores, step) / weight : 0;
    scores[step] = score;
    const block = floor(step / BLOCK);
    if (score > valueAt(blocks, block) && known[step] === 0) blocks[block] = score;
  }
  return { scores, blocks };
};
