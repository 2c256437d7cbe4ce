import { valueAt } from '../spectral-lines';
import type { ByLine, Excess, Places } from './excess';
import { fundamentalOf, type Family } from './family';
import { halConstants } from './hal-constants';
import { ranked } from './ranked';

const { ceil, floor, max, min, round, sqrt } = Math;

/** Steps of the grid of fundamentals from line to line: between two steps the last harmonic moves by a line. */
export const STEPS = 10;

/** The numbers of the harmonics that count. */
export const harmonicNumbers: ReadonlyArray<number> = Array.from({ length: halConstants.harmonics }, (_, at) => at + 1);

/** By step, 1 where one of `families` or a multiple of the shaft runs, so that it is no rival. */
const namedSteps = ({ shaft, turn }: Excess, families: ReadonlyArray<Family>, steps: number): Uint8Array => {
  const { slip, onShaft, resolved } = halConstants;
  const named = new Uint8Array(steps);
  const name = (at: number, share: number): void => {
    const [from, to] = stepsAround(at, share);
    named.fill(1, from, to + 1);
  };
  for (const family of families) name(fundamentalOf(family, shaft), slip);
  if (turn >= resolved) for (let at = turn; at * STEPS < steps; at += turn) name(at, onShaft);
  return named;
};

/** The steps within a share of a fundamental: where it is looked for, no rival is. */
export const stepsAround = (at: number, share: number): readonly [from: number, to: number] => [
  round(at * (1 - share) * STEPS),
  round(at * (1 + share) * STEPS),
];

/** The greatest fundamental that `families` and their rivals need, in lines: one line is no comb. */
export const greatestFundamental = ({ length, origin, shaft }: Places, families: ReadonlyArray<Family>): number => {
  const expected = families.map((family) => fundamentalOf(family, shaft));
  return min(halConstants.rivalsTo * max(0, ...expected), (length - 1 - origin) / 2, length - 1);
};

/** How well a comb at each of a fine grid of fundamentals, as far as `families` and their rivals go, matches the excess that counts, by line. */
export const combScores = (spectrum: Excess, counted: ByLine, families: ReadonlyArray<Family>) => {
  const { floors, origin } = spectrum;
  const steps = floor(greatestFundamental(spectrum, families) * STEPS) + 1;
  const [scores, weights] = [new Float64Array(steps), new Float64Array(steps)];
  const add = (from: number, to: number, excess: number, weight: number): void => {
    for (let step = from; step < to; step += 1) {
      scores[step] = valueAt(scores, step) + weight * excess;
      weights[step] = valueAt(weights, step) + weight;
    }
  };
  // Each line counts for the steps whose harmonic lies nearest to it: that is twice as fast as to look up the line of each step.
  for (const number of harmonicNumbers) {
    const stepAt = (line: number): number => min(ceil(((line - origin) / number) * STEPS), steps);
    let from = max(0, stepAt(-0.5));
    for (let line = 0; line < counted.length && from < steps; line += 1) {
      const to = stepAt(line + 0.5);
      if (valueAt(floors, line) > 0) add(from, to, valueAt(counted, line), 1 / sqrt(number));
      from = max(from, to);
    }
  }
  for (let step = 0; step < steps; step += 1) scores[step] = valueAt(scores, step) / (valueAt(weights, step) || 1);
  return {
    counted,
    /** By step, the weighted mean excess of its harmonics. */
    scores: ranked(scores),
  };
};

/** `combs` with the rivals of what is looked for: neither one of `present` nor a multiple of the shaft. */
export const withRivals = (
  spectrum: Excess,
  combs: Readonly<ReturnType<typeof combScores>>,
  present: ReadonlyArray<Family>,
) => {
  const scores = combs.scores.values;
  const named = namedSteps(spectrum, present, scores.length);
  const best = new Float64Array(ceil(named.length / STEPS));
  const [bestScore, bestOfAll] = [new Float64Array(best.length), new Float64Array(best.length)];
  for (let step = 0; step < named.length; step += 1) {
    const [line, score] = [floor(step / STEPS), valueAt(scores, step)];
    if (score > valueAt(bestOfAll, line)) bestOfAll[line] = score;
    if (named[step] !== 0 || score <= valueAt(bestScore, line)) continue;
    best[line] = step;
    bestScore[line] = score;
  }
  // What is named stands around too: its flank is no rival. Of equals each stands out.
  const standsOut = (score: number, line: number): boolean =>
    score >= max(valueAt(bestOfAll, line - 1), valueAt(bestOfAll, line), valueAt(bestOfAll, line + 1));
  return {
    ...combs,
    /** By line, the step of the greatest score that is not named. */
    rivals: best as Readonly<Float64Array>,
    /** Its score, where it stands out from those around; else 0. */
    rivalScores: ranked(bestScore.map((score, line) => (standsOut(score, line) ? score : 0))),
  };
};
export type CombScores = Readonly<ReturnType<typeof withRivals>>;
