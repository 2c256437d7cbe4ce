import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { valueAt } from '../lines';
import { BLOCK, harmonicNumbers, STEPS, type CombScores } from './comb';
import type { Excess } from './excess';
import { coincidenceOf, type Family } from './family';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { abs, ceil, floor, max, min, round } = Math;
const { isNaN } = Number;
const NOWHERE = NaN;

/** What was found of a family. Frequencies are fundamentals in lines. */
export interface Finding {
  readonly index: number;
  readonly expected: number;
  readonly found: number;
  /** The weighted mean excess of its harmonics. */
  readonly score: number;
  /** The fundamental of the best rival and its score; 0 without one. */
  readonly rival: number;
  readonly rivalScore: number;
  /** The numbers of the harmonics that could be compared. */
  readonly compared: ReadonlyArray<number>;
  /** By line, the excess that counted: less than in the spectrum where another family explains it. */
  readonly excess: Readonly<Float64Array>;
}

/** The fundamentals in lines at which `family` is looked for, or why it cannot be found: fewer than two harmonics, or too near. */
export const expectedOf = (
  { excess, origin, shaft }: Excess,
  { factor, strikes }: Family,
): E.Either<string, ReadonlyArray<number>> => {
  const { resolved } = halConstants;
  const isInside = (place: number): boolean => place >= 0 && place <= excess.length - 1;
  const inside = strikes
    .map((strike) => factor * strike * shaft)
    .filter((one) => harmonicNumbers.filter((number) => isInside(number * one + origin)).length > 1);
  const clear = inside.filter((one) => one >= resolved);
  if (inside.length === 0) return E.left('fewer than two harmonics lie inside the spectrum');
  if (clear.length > 0) return E.right(clear);
  const apart = max(...inside);
  const lines = ceil((excess.length * resolved) / apart);
  return E.left(
    `its harmonics are ${apart.toPrecision(2)} lines apart, ${resolved} are needed: measure this range with ${lines} lines`,
  );
};

/** What was found of `family` at the best of the places where it was `expected`; undefined where none of its lines has a floor. */
export const findingOf = (
  spectrum: Excess,
  family: Family,
  expected: ReadonlyArray<number>,
  scores: CombScores,
  excess: Readonly<Float64Array>,
): E.Either<string, Finding> =>
  pipe(
    expected.map((one) => findingAt(spectrum, family, one, scores, excess)),
    (findings) => findings.reduce((one, other) => (other.index > one.index ? other : one)),
    E.fromPredicate(
      ({ compared }) => compared.length > 0,
      () => 'only peaks',
    ),
  );

const findingAt = (
  spectrum: Excess,
  family: Family,
  expected: number,
  scores: CombScores,
  excess: Readonly<Float64Array>,
): Finding => {
  const { evident, fewestEvident, mostWithoutEvidence, rivalWeight, leastLead } = halConstants;
  const { found, shaftBeside } = strongestNear(spectrum, family, scores, expected);
  const score = valueAt(scores.scores, found);
  const other = bestRival(spectrum, family, scores, expected, found);
  // A multiple of the shaft right beside that stands out as much: then the family is its shoulder.
  const isShoulder = valueAt(scores.scores, shaftBeside) >= max(score, valueAt(scores.scores, other));
  const rival = isShoulder ? shaftBeside : other;
  const rivalScore = valueAt(scores.scores, rival);
  const overs = harmonicNumbers.map((number) => excess[round((found * number) / STEPS + spectrum.origin)] ?? NOWHERE);
  const lead = score - rivalWeight * rivalScore;
  const index = max(0, halConstants.indexWithoutLead + (halConstants.indexPerLead * lead) / leastLead);
  return {
    index: overs.filter((over) => over >= evident).length < fewestEvident ? min(index, mostWithoutEvidence) : index,
    ...{ expected, found: found / STEPS, score, rival: rival / STEPS, rivalScore, excess },
    compared: harmonicNumbers.filter((_, at) => !isNaN(overs[at])),
  };
};

/**
 * The step of the best score as far as the family may run off. What cannot be told from a multiple of the shaft is left out:
 * the best step there is `shaftBeside`, 0 without one.
 */
const strongestNear = (
  { shaft }: Excess,
  family: Family,
  { scores }: CombScores,
  expected: number,
): { readonly found: number; readonly shaftBeside: number } => {
  const { slip, speedError, onShaft } = halConstants;
  const off = family.slips ? slip : speedError;
  const isApart = family.slips && coincidenceOf(family) === undefined;
  const to = ceil(expected * (1 + off) * STEPS);
  let found = round(expected * STEPS);
  let shaftBeside = 0;
  let [most, mostBeside] = [-Infinity, 0];
  for (let step = floor(expected * (1 - off) * STEPS); step <= to; step += 1) {
    const score = valueAt(scores, step);
    if (score <= most) continue;
    const order = step / STEPS / shaft;
    const whole = round(order);
    const isOnShaft = isApart && whole > 0 && abs(order - whole) < onShaft * whole;
    if (!isOnShaft) [found, most] = [step, score];
    else if (score > mostBeside) [shaftBeside, mostBeside] = [step, score];
  }
  return { found, shaftBeside };
};

/** The step of the best other fundamental that nothing known explains; 0 without one. Blocks without a better one are passed over. */
const bestRival = (
  { shaft }: Excess,
  { modulation }: Family,
  { scores, blocks, known }: CombScores,
  expected: number,
  found: number,
): number => {
  const { rivalsFrom, rivalsTo, rivalsApart, slip, same, resolved } = halConstants;
  const at = expected * STEPS;
  const side = modulation * shaft * STEPS;
  const isSide = (off: number): boolean => abs(off - side) < same * found || abs(off - 2 * side) < same * found;
  // A family's double shares its lines.
  const isOwn = (step: number): boolean =>
    abs(step - at) < rivalsApart * at || abs(step - 2 * at) < 2 * slip * at || (side > 0 && isSide(abs(step - found)));
  const from = ceil(max(rivalsFrom * at, resolved * STEPS));
  const to = min(floor(rivalsTo * at), scores.length - 1);
  let rival = 0;
  let most = 0;
  for (let start = from - (from % BLOCK); start <= to; start += BLOCK) {
    if (valueAt(blocks, start / BLOCK) <= most) continue;
    const end = min(start + BLOCK - 1, to);
    for (let step = max(start, from); step <= end; step += 1) {
      const score = valueAt(scores, step);
      if (score <= most || known[step] === 1 || isOwn(step)) continue;
      rival = step;
      most = score;
    }
  }
  return rival;
};
