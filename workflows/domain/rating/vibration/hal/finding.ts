import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { valueAt } from '../lines';
import { BLOCK, harmonicNumbers, STEPS, type CombScores } from './comb';
import { hasFloor, type Excess } from './excess';
import { coincidenceOf, type Family } from './family';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { abs, ceil, floor, max, min, round } = Math;

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

/** What was found of `family` at the best of the places where it was `expected`, or that none of its lines has a floor. */
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
  combs: CombScores,
  excess: Readonly<Float64Array>,
): Finding => {
  const { evident, fewestEvident, mostWithoutEvidence, rivalWeight, indexWithoutLead, indexPerLead } = halConstants;
  const { scores } = combs;
  const { found, onShaft } = strongestNear(spectrum, family, scores, expected);
  const score = valueAt(scores, found);
  const other = bestRival(spectrum, family, combs, expected, found);
  // A multiple of the shaft right beside that stands out as much: then the family is its shoulder.
  const isShoulder = valueAt(scores, onShaft) >= max(score, valueAt(scores, other));
  const rival = isShoulder ? onShaft : other;
  const rivalScore = valueAt(scores, rival);
  const places = harmonicNumbers.map((number) => round((found * number) / STEPS + spectrum.origin));
  const isEvident = places.filter((line) => valueAt(excess, line) >= evident).length >= fewestEvident;
  const index = max(0, indexWithoutLead + indexPerLead * (score - rivalWeight * rivalScore));
  return {
    index: isEvident ? index : min(index, mostWithoutEvidence),
    ...{ expected, found: found / STEPS, score, rival: rival / STEPS, rivalScore, excess },
    compared: harmonicNumbers.filter((_, at) => hasFloor(spectrum, places[at])),
  };
};

/**
 * The step of the best score as far as the family may run off. What cannot be told from a multiple of the shaft is left out:
 * `onShaft` is the best step there, 0 where the family turns with the shaft or coincides with it.
 */
const strongestNear = (
  { turn }: Excess,
  family: Family,
  scores: Readonly<Float64Array>,
  expected: number,
): { readonly found: number; readonly onShaft: number } => {
  const isApart = family.slips && coincidenceOf(family) === undefined;
  const whole = round(expected / turn) * turn;
  const multiple = isApart && abs(whole - expected) <= 2 * halConstants.slip * expected ? whole * STEPS : 0;
  const near = halConstants.onShaft * multiple;
  const off = family.slips ? halConstants.slip : halConstants.speedError;
  const to = ceil(expected * (1 + off) * STEPS);
  let found = round(expected * STEPS);
  let most = -Infinity;
  for (let step = floor(expected * (1 - off) * STEPS); step <= to; step += 1) {
    const score = scores[step] ?? 0;
    if (score > most && abs(step - multiple) >= near) [found, most] = [step, score];
  }
  let onShaft = round(multiple);
  for (let step = ceil(multiple - near); step <= multiple + near; step += 1)
    if (valueAt(scores, step) > valueAt(scores, onShaft)) onShaft = step;
  return { found, onShaft };
};

/** The step of the best other fundamental that is not known; 0 without one. Blocks without a better one are passed over. */
const bestRival = (
  { turn }: Excess,
  { modulation }: Family,
  { scores, known, blocks }: CombScores,
  expected: number,
  found: number,
): number => {
  const { rivalsFrom, rivalsTo, slip, same, resolved } = halConstants;
  const at = expected * STEPS;
  const side = modulation * turn * STEPS;
  const isSide = (off: number): boolean => abs(off - side) < same * found || abs(off - 2 * side) < same * found;
  // A family's double shares its lines.
  const isOwn = (step: number): boolean =>
    abs(step - 2 * at) < 2 * slip * at || (side > 0 && isSide(abs(step - found)));
  const from = ceil(max(rivalsFrom * at, resolved * STEPS));
  const to = min(floor(rivalsTo * at), scores.length - 1);
  let rival = 0;
  let most = 0;
  for (let start = from - (from % BLOCK); start <= to; start += BLOCK) {
    if (valueAt(blocks, start / BLOCK) <= most) continue;
    const end = min(start + BLOCK - 1, to);
    for (let step = max(start, from); step <= end; step += 1) {
      const score = scores[step] ?? 0;
      if (score > most && known[step] === 0 && !isOwn(step)) [rival, most] = [step, score];
    }
  }
  return rival;
};
