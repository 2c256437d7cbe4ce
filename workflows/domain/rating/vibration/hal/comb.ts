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

/** The steps that `families` and their rivals need: 1 where a family or a multiple of the shaft runs, so that it is no rival. */
export const namedSteps = (spectrum: Excess, families: ReadonlyArray<Family>): Uint8Array => {
  const { shaft, turn } = spectrum;
  const { slip, onShaft, resolved } = halConstants;
  const expected = families.map((family) => fundamentalOf(family, shaft));
  const greatest = greatestFundamental(spectrum, families);
  const named = new Uint8Array(floor(greatest * STEPS) + 1);
  const name = (at: number, share: number): void => {
    const [from, to] = stepsAround(at, share);
    named.fill(1, from, to + 1);
  };
  for (const at of expected) name(at, slip);
  if (turn >= resolved) for (let at = turn; at <= greatest; at += turn) name(at, onShaft);
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

/** How well a comb at each step of `named`, a fine grid of fundamentals, matches the excess that counts, by line. */
export const combScores = ({ floors, origin }: Excess, counted: ByLine, named: Readonly<Uint8Array>) => {
  const [scores, weights] = [new Float64Array(named.length), new Float64Array(named.length)];
  const add = (from: number, to: number, excess: number, weight: number): void => {
    for (let step = from; step < to; step += 1) {
      scores[step] = valueAt(scores, step) + weight * excess;
      weights[step] = valueAt(weights, step) + weight;
    }
  };
  // Each line counts for the steps whose harmonic lies nearest to it: that is twice as fast as to look up the line of each step.
  for (const number of harmonicNumbers) {
    const stepAt = (line: number): number => min(ceil(((line - origin) / number) * STEPS), named.length);
    let from = max(0, stepAt(-0.5));
    for (let line = 0; line < counted.length && from < named.length; line += 1) {
      const to = stepAt(line + 0.5);
      if (valueAt(floors, line) > 0) add(from, to, valueAt(counted, line), 1 / sqrt(number));
      from = max(from, to);
    }
  }
  for (let step = 0; step < named.length; step += 1)
    scores[step] = valueAt(scores, step) / (valueAt(weights, step) || 1);
  return {
    counted,
    /** By step, the weighted mean excess of its harmonics. */
    scores: ranked(scores),
    ...rivalsAmong(scores, named),
  };
};
export type CombScores = Readonly<ReturnType<typeof combScores>>;

const rivalsAmong = (scores: Readonly<Float64Array>, named: Readonly<Uint8Array>) => {
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
    /** By line, the step of the greatest score that is not named. */
    rivals: best as Readonly<Float64Array>,
    /** Its score, where it stands out from those around; else 0. */
    rivalScores: ranked(bestScore.map((score, line) => (standsOut(score, line) ? score : 0))),
  };
};
