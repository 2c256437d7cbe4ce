import * as E from 'fp-ts/Either';
import { valueAt } from '../spectral-lines';
import { BLOCK, harmonicNumbers, STEPS, type CombScores } from './comb';
import { hasFloor, type Excess } from './excess';
import { coincidenceOf, type Family } from './family';
import { halConstants } from './hal-constants';

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
  const apart = Math.max(...inside);
  const lines = Math.ceil((excess.length * resolved) / apart);
  return E.left(
    `its harmonics are ${apart.toPrecision(2)} lines apart, ${resolved} are needed: measure this range with ${lines} lines`,
  );
};

/** What was found of `family` at the best of the places where it was `expected`, or that none of its lines has a floor. */
export const findingOf = (
  spectrum: Excess,
  family: Family,
  expected: ReadonlyArray<number>,
  combs: CombScores,
  excess: Readonly<Float64Array>,
): E.Either<string, Finding> => {
  const finding = expected
    .map((one) => findingAt(spectrum, family, one, combs, excess))
    .reduce((one, other) => (other.index > one.index ? other : one));
  return finding.compared.length === 0 ? E.left('only peaks') : E.right(finding);
};

const findingAt = (
  spectrum: Excess,
  family: Family,
  expected: number,
  combs: CombScores,
  excess: Readonly<Float64Array>,
): Finding => {
  const { evident, fewestEvident, mostWithoutEvidence, rivalWeight, indexWithoutLead, indexPerLead } = halConstants;
  const { scores } = combs;
  const [found, onShaft] = strongestNear(spectrum, family, scores, expected);
  const score = valueAt(scores, found);
  const other = bestRival(spectrum, family, combs, expected, found);
  // A multiple of the shaft right beside that stands out as much: then the family is its shoulder.
  const rival = valueAt(scores, onShaft) >= Math.max(score, valueAt(scores, other)) ? onShaft : other;
  const rivalScore = valueAt(scores, rival);
  const places = harmonicNumbers.map((number) => Math.round((found * number) / STEPS + spectrum.origin));
  const isEvident = places.filter((line) => valueAt(excess, line) >= evident).length >= fewestEvident;
  const index = Math.max(0, indexWithoutLead + indexPerLead * (score - rivalWeight * rivalScore));
  return {
    index: isEvident ? index : Math.min(index, mostWithoutEvidence),
    expected,
    found: found / STEPS,
    score,
    rival: rival / STEPS,
    rivalScore,
    excess,
    compared: harmonicNumbers.filter((_, at) => hasFloor(spectrum, places[at])),
  };
};

/** The first of the steps that count whose score is the best, and above `least`; 0 without one. */
const bestStep = (
  scores: Readonly<Float64Array>,
  from: number,
  to: number,
  counts: (step: number) => boolean,
  least = -Infinity,
): number => {
  let best = 0;
  let most = least;
  for (let step = from; step <= to; step += 1) {
    const score = valueAt(scores, step);
    if (score > most && counts(step)) [best, most] = [step, score];
  }
  return best;
};

/**
 * The best step as far as the family may run off, and the best one on a multiple of the shaft beside it: what cannot be told
 * from that is left out. 0 where the family turns with the shaft or coincides with it.
 */
const strongestNear = (
  { turn }: Excess,
  family: Family,
  scores: Readonly<Float64Array>,
  expected: number,
): readonly [found: number, onShaft: number] => {
  const { slip, speedError, onShaft } = halConstants;
  const isApart = family.slips && coincidenceOf(family) === undefined;
  const whole = Math.round(expected / turn) * turn;
  const multiple = isApart && Math.abs(whole - expected) <= 2 * slip * expected ? whole * STEPS : 0;
  const near = onShaft * multiple;
  const reach = (family.slips ? slip : speedError) * expected;
  return [
    bestStep(
      scores,
      Math.floor((expected - reach) * STEPS),
      Math.ceil((expected + reach) * STEPS),
      (step) => Math.abs(step - multiple) >= near,
    ),
    bestStep(scores, Math.ceil(multiple - near), multiple + near, () => true),
  ];
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
  const isSide = (off: number): boolean =>
    Math.abs(off - side) < same * found || Math.abs(off - 2 * side) < same * found;
  // A family's double shares its lines.
  const isRival = (step: number): boolean =>
    known[step] === 0 && Math.abs(step - 2 * at) >= 2 * slip * at && !(side > 0 && isSide(Math.abs(step - found)));
  const from = Math.ceil(Math.max(rivalsFrom * at, resolved * STEPS));
  const to = Math.min(Math.floor(rivalsTo * at), scores.length - 1);
  let rival = 0;
  for (let block = Math.floor(from / BLOCK); block * BLOCK <= to; block += 1) {
    const most = rival === 0 ? 0 : valueAt(scores, rival);
    if (valueAt(blocks, block) <= most) continue;
    rival =
      bestStep(scores, Math.max(block * BLOCK, from), Math.min(block * BLOCK + BLOCK - 1, to), isRival, most) || rival;
  }
  return rival;
};
