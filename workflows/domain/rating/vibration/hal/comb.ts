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

/** By step of `combs`, 1 where one of `present` or a multiple of the shaft runs, so that it is no rival. */
export const namedSteps = (
  { turn }: Excess,
  combs: CombScores,
  present: ReadonlyArray<{ readonly expected: number }>,
): Readonly<Uint8Array> => {
  const { slip, onShaft, resolved } = halConstants;
  const named = new Uint8Array(combs.scores.values.length);
  const name = (at: number, share: number): void => {
    const [from, to] = stepsAround(at, share);
    named.fill(1, from, to + 1);
  };
  for (const { expected } of present) name(expected, slip);
  if (turn >= resolved) for (let at = turn; at * STEPS < named.length; at += turn) name(at, onShaft);
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

/** How well a comb at each of a fine grid of fundamentals, up to the rivals of `families`, matches the excess that counts, by line. */
export const combScores = (spectrum: Excess, counted: ByLine, families: ReadonlyArray<Family>) => {
  const { floors, length, origin } = spectrum;
  const steps = floor(greatestFundamental(spectrum, families) * STEPS) + 1;
  const [scores, weights] = [new Float64Array(steps), new Float64Array(steps)];
  for (const number of harmonicNumbers) {
    const weight = 1 / sqrt(number);
    // Each line counts for the steps whose harmonic lies nearest to it: that is twice as fast as to look up the line of each step.
    const stepAt = (line: number): number => ceil(((line - origin) / number) * STEPS);
    let step = max(0, stepAt(-0.5));
    for (let line = 0; line < length && step < steps; line += 1) {
      const end = min(stepAt(line + 0.5), steps);
      if (floors[line] === 0) step = max(step, end);
      const height = weight * valueAt(counted, line);
      for (; step < end; step += 1) {
        scores[step] = valueAt(scores, step) + height;
        weights[step] = valueAt(weights, step) + weight;
      }
    }
  }
  for (let step = 0; step < steps; step += 1) {
    const weight = valueAt(weights, step);
    if (weight > 0) scores[step] = valueAt(scores, step) / weight;
  }
  return {
    counted,
    /** By step, the weighted mean excess of its harmonics. */
    scores: ranked(scores),
    ...peaksOf(scores),
  };
};
export type CombScores = Readonly<ReturnType<typeof combScores>>;

/** What may be a rival: the best step of each line, where it stands out from those around. */
const peaksOf = (scores: Readonly<Float64Array>) => {
  const best = new Float64Array(ceil(scores.length / STEPS));
  const bestScore = new Float64Array(best.length);
  for (let line = 0, step = 0; line < best.length; line += 1) {
    let most = 0;
    for (const end = min(step + STEPS, scores.length); step < end; step += 1) {
      const score = valueAt(scores, step);
      if (score > most) [best[line], most] = [step, score];
    }
    bestScore[line] = most;
  }
  // A flank is no peak. Of equals each is one.
  const standsOut = (score: number, line: number): boolean =>
    score >= max(valueAt(bestScore, line - 1), valueAt(bestScore, line + 1));
  return {
    /** By line, the step of the greatest score. */
    peaks: best as Readonly<Float64Array>,
    /** That score, where it stands out; else 0. */
    peakScores: ranked(bestScore.map((score, line) => (standsOut(score, line) ? score : 0))),
  };
};
