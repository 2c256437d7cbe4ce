import { valueAt } from '../spectral-lines';
import type { ByLine, Excess } from './excess';
import { fundamentalOf, type Family } from './family';
import { halConstants } from './hal-constants';

const { ceil, floor, max, min, round, sqrt } = Math;

/** Steps of the grid of fundamentals from line to line: between two steps the last harmonic moves by a line. */
export const STEPS = 10;

/** The numbers of the harmonics that count. */
export const harmonicNumbers: ReadonlyArray<number> = Array.from({ length: halConstants.harmonics }, (_, at) => at + 1);

/** The steps that `families` and their rivals need: 1 where a family or a multiple of the shaft runs, so that it is no rival. */
export const namedSteps = ({ excess, origin, shaft, turn }: Excess, families: ReadonlyArray<Family>): Uint8Array => {
  const { slip, onShaft, rivalsTo, resolved } = halConstants;
  const expected = families.map((family) => fundamentalOf(family, shaft));
  const span = excess.length - 1;
  const greatest = min(rivalsTo * max(0, ...expected), (span - origin) / 2, span); // one line is no comb
  const named = new Uint8Array(floor(greatest * STEPS) + 1);
  const name = (at: number, share: number): void => {
    named.fill(1, ceil(at * (1 - share) * STEPS), floor(at * (1 + share) * STEPS) + 1);
  };
  for (const at of expected) name(at, slip);
  if (turn >= resolved) for (let at = turn; at <= greatest; at += turn) name(at, onShaft);
  return named;
};

/** How well a comb at each step of `named`, a fine grid of fundamentals, matches the excess that counts, by line. */
export const combScores = ({ floors, origin }: Excess, counted: ByLine, named: Readonly<Uint8Array>) => {
  const weights = Float64Array.from({ length: halConstants.harmonics + 1 }, (_, number) => 1 / sqrt(number));
  const scores = new Float64Array(named.length);
  const best = new Int32Array(ceil(named.length / STEPS)); // by line, the step of the greatest score that is not named
  const bestOf = (line: number): number => valueAt(scores, best[line] ?? 0);
  for (let step = 0; step < named.length; step += 1) {
    const at = step / STEPS;
    let sum = 0;
    let total = 0;
    for (let number = 1; number < weights.length; number += 1) {
      const line = round(number * at + origin);
      if (line >= counted.length) break;
      if (!(valueAt(floors, line) > 0)) continue;
      const weight = valueAt(weights, number);
      sum += weight * valueAt(counted, line);
      total += weight;
    }
    scores[step] = sum / (total || 1);
    if (named[step] === 0 && valueAt(scores, step) > bestOf(floor(at))) best[floor(at)] = step;
  }
  const rivals = Array.from(best).filter((_, line) => bestOf(line) > max(0, bestOf(line - 1), bestOf(line + 1)));
  return {
    counted,
    /** By step, the weighted mean excess of its harmonics. */
    scores,
    /** The steps that stand out from those around and are not named, the best first. */
    rivals: rivals.sort((one, other) => valueAt(scores, other) - valueAt(scores, one)),
  };
};
export type CombScores = Readonly<ReturnType<typeof combScores>>;
