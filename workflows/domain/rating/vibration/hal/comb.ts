import { valueAt } from '../spectral-lines';
import type { ByLine, Excess, Places } from './excess';
import { fundamentalOf, type Family } from './family';
import { halConstants } from './hal-constants';
import { ranked } from './ranked';

const { ceil, floor, max, min, round, sqrt } = Math;

/**
 * A comb is the set of harmonics of one fundamental. The grid of fundamentals has this many steps per line: from step to step,
 * the last harmonic moves by one line.
 */
export const STEPS = 10;

export const harmonicNumbers: ReadonlyArray<number> = Array.from({ length: halConstants.harmonics }, (_, at) => at + 1);

/** For each step, 1 if a present fault or a multiple of the shaft lies there, so that the step is no rival of any fault. */
export const excludedSteps = (
  { turn }: Excess,
  combs: CombScores,
  present: ReadonlyArray<{ readonly expected: number }>,
): Readonly<Uint8Array> => {
  const { slip, onShaft, resolved } = halConstants;
  const excluded = new Uint8Array(combs.scores.values.length);
  const exclude = (at: number, share: number): void => {
    const [from, to] = stepsAround(at, share);
    excluded.fill(1, from, to + 1);
  };
  for (const { expected } of present) exclude(expected, slip);
  if (turn >= resolved) for (let at = turn; at * STEPS < excluded.length; at += turn) exclude(at, onShaft);
  return excluded;
};

type Range = readonly [from: number, to: number];

/*
 * Each long loop below is a function of its own. An engine that compiles a loop while the loop runs does not know the code that
 * follows. On reaching such code in the same function, it would discard the compiled loop, in each call again.
 */

/**
 * Adds weighted lines to ten steps at a time, from the step `from` on. `a` to `j` are the lines of the first ten steps; those
 * of each further ten lie `number` lines farther. The ten are written out, because a loop would take three times as long. The
 * caller keeps every index inside, because checks would take as long again. Returns the first step that was not done.
 */
const addTens = (
  scores: Float64Array,
  counted: ByLine,
  [number, weight]: readonly [number: number, weight: number],
  [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0]: ReadonlyArray<number>,
  [from, end]: Range,
): number => {
  let step = from;
  for (let moved = 0; step + STEPS <= end; step += STEPS, moved += number) {
    scores[step] = (scores[step] as number) + weight * (counted[a + moved] as number);
    scores[step + 1] = (scores[step + 1] as number) + weight * (counted[b + moved] as number);
    scores[step + 2] = (scores[step + 2] as number) + weight * (counted[c + moved] as number);
    scores[step + 3] = (scores[step + 3] as number) + weight * (counted[d + moved] as number);
    scores[step + 4] = (scores[step + 4] as number) + weight * (counted[e + moved] as number);
    scores[step + 5] = (scores[step + 5] as number) + weight * (counted[f + moved] as number);
    scores[step + 6] = (scores[step + 6] as number) + weight * (counted[g + moved] as number);
    scores[step + 7] = (scores[step + 7] as number) + weight * (counted[h + moved] as number);
    scores[step + 8] = (scores[step + 8] as number) + weight * (counted[i + moved] as number);
    scores[step + 9] = (scores[step + 9] as number) + weight * (counted[j + moved] as number);
  }
  return step;
};

/**
 * Adds each line of a range to the scores of all steps whose harmonic `number` lies nearest to that line. Returns the first of
 * these steps, and the step after the last.
 */
const addHarmonic = (
  scores: Float64Array,
  number: number,
  origin: number,
  counted: ByLine,
  [from, to]: Range,
): Range => {
  const weight = weightOf(number);
  // With `| 0` the engine knows that the result is an integer, which makes loops twice as fast.
  const stepAt = (line: number): number => max(0, min(ceil(((line - origin) / number) * STEPS), scores.length)) | 0;
  const lineOf = (step: number): number => floor((step * number) / STEPS + origin + 0.5) | 0;
  const [first, end] = [stepAt(from - 0.5), stepAt(to - 0.5)];
  const addOne = (step: number): void => {
    scores[step] = valueAt(scores, step) + weight * valueAt(counted, lineOf(step));
  };
  // At either end of the range, rounding may give a line outside. So the first and the last step are added with a check.
  if (first < end) addOne(first);
  const lines = Array.from({ length: STEPS }, (_, step) => lineOf(first + 1 + step));
  for (let step = addTens(scores, counted, [number, weight], lines, [first + 1, end - 1]); step < end; step += 1)
    addOne(step);
  return [first, end];
};

const weightOf = (number: number): number => 1 / sqrt(number);

/** The total weight of each set of harmonics. The index has bit k set if harmonic k is in the set. */
const WEIGHTS = Float64Array.from({ length: 2 ** (halConstants.harmonics + 1) }, (_, bits) =>
  harmonicNumbers.reduce((sum, number) => ((bits >> number) % 2 === 0 ? sum : sum + weightOf(number)), 0),
);

/** The ranges of lines that have a noise floor. */
const rangesWithFloor = (floors: ByLine): ReadonlyArray<Range> => {
  const ranges: Range[] = [];
  for (let line = 0, from = 0; line <= floors.length; line += 1)
    if (valueAt(floors, line) === 0) {
      if (from < line) ranges.push([from, line]);
      from = line + 1;
    }
  return ranges;
};

/** The first and the last step that are within the fraction `share` of the fundamental `at`. */
export const stepsAround = (at: number, share: number): readonly [from: number, to: number] => [
  round(at * (1 - share) * STEPS),
  round(at * (1 + share) * STEPS),
];

/**
 * The greatest fundamental that `families` and their rivals need, in lines. Two lines are added to show whether the last rival
 * is a peak or the flank of one. A comb must have at least two harmonics inside the spectrum.
 */
export const greatestFundamental = ({ length, origin, shaft }: Places, families: ReadonlyArray<Family>): number => {
  const expected = families.map((family) => fundamentalOf(family, shaft));
  return min(floor(halConstants.rivalsTo * max(0, ...expected)) + 2, (length - 1 - origin) / 2, length - 1);
};

/** Divides each step's sum by the weight of its harmonics. `changes` has the bits of harmonics that begin or end at a step. */
const toMeans = (sums: Float64Array, changes: Int16Array): void => {
  for (let step = 0, bits = 0, weight = 0; step < sums.length; step += 1) {
    const changed = changes[step] as number;
    if (changed !== 0) {
      bits ^= changed;
      weight = valueAt(WEIGHTS, bits);
    }
    if (bits !== 0) sums[step] = (sums[step] as number) / weight;
  }
};

/** Finds, for each line, the first of its ten steps with the greatest score, and that score; 0 if no score is above 0. */
const findBest = (scores: ByLine, best: Float64Array, bestScore: Float64Array): void => {
  for (let line = 0, step = 0; line < best.length; line += 1) {
    let [greatest, most] = [0, 0];
    for (const end = min(step + STEPS, scores.length); step < end; step += 1) {
      const score = valueAt(scores, step);
      if (score > most) [greatest, most] = [step, score];
    }
    best[line] = greatest;
    bestScore[line] = most;
  }
};

/** The scores of peaks, else 0: a line is no peak if the score of a line beside it is greater. Equal neighbours both are. */
const peaksOf = (scores: ByLine): ByLine =>
  scores.map((score, line) => (score >= max(valueAt(scores, line - 1), valueAt(scores, line + 1)) ? score : 0));

/** Scores a comb at each step of the grid. `counted` has, for each line, the excess over the noise floor that counts. */
export const combScores = (spectrum: Excess, counted: ByLine, families: ReadonlyArray<Family>) => {
  const { floors, origin } = spectrum;
  const steps = floor(greatestFundamental(spectrum, families) * STEPS) + 1;
  const scores = new Float64Array(steps);
  // For each step, the bits of the harmonics that there enter or leave a range of lines with a noise floor.
  const changes = new Int16Array(steps + 1);
  const ranges = rangesWithFloor(floors);
  for (const number of harmonicNumbers)
    for (const range of ranges)
      for (const step of addHarmonic(scores, number, origin, counted, range))
        changes[step] = (changes[step] as number) ^ (1 << number);
  toMeans(scores, changes);
  const best = new Float64Array(ceil(steps / STEPS));
  const bestScore = new Float64Array(best.length);
  findBest(scores, best, bestScore);
  return {
    counted,
    /** For each step, the weighted mean excess of its harmonics. */
    scores: ranked(scores),
    /** For each line, the step with the greatest score: a possible rival. */
    peaks: best as Readonly<Float64Array>,
    /** For each line, the score of its step in `peaks` if no line beside has a greater score, else 0. */
    peakScores: ranked(peaksOf(bestScore)),
  };
};
export type CombScores = Readonly<ReturnType<typeof combScores>>;
