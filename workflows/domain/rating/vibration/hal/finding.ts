import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { valueAt } from '../lines';
import { BLOCK, STEPS, type CombScores } from './comb-scores';
import type { Excess } from './excess';
import { coincidenceOf, type Family } from './family';
import { expectedOf, harmonicNumbers, type Grid } from './grid';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { abs, ceil, floor, max, min, round } = Math;
const { isNaN } = Number;
const NOWHERE = NaN;
const LEAST = -Infinity;

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

/** What was found of `family`, or why it cannot be rated. */
export const findingOf = (
  spectrum: Excess,
  family: Family,
  grid: Grid,
  scores: CombScores,
  excess: Readonly<Float64Array>,
): E.Either<string, Finding> =>
  pipe(
    expectedOf(spectrum, family),
    E.map((expected) => expected.map((one) => findingAt(spectrum, family, grid, scores, excess, one))),
    E.map((findings) => findings.reduce((one, other) => (other.index > one.index ? other : one))),
    E.filterOrElse(
      ({ compared }) => compared.length > 0,
      () => 'only peaks',
    ),
  );

const findingAt = (
  spectrum: Excess,
  family: Family,
  grid: Grid,
  scores: CombScores,
  excess: Readonly<Float64Array>,
  expected: number,
): Finding => {
  const { evident, fewestEvident, mostWithoutEvidence } = halConstants;
  const found = strongestNear(spectrum, family, scores, expected);
  const score = valueAt(scores.scores, found);
  const best = bestRival(spectrum, family, grid, scores, { expected, found, score });
  const { rival, rivalScore } = orShaft(spectrum, family, scores, { expected, score, ...best });
  const compared = harmonicNumbers.filter((number) => !isNaN(excessAt(spectrum, excess, found, number)));
  const evidence = compared.filter((number) => excessAt(spectrum, excess, found, number) >= evident);
  const index = indexOf(score - halConstants.rivalWeight * rivalScore, spectrum.scatter);
  return {
    index: evidence.length < fewestEvident ? min(index, mostWithoutEvidence) : index,
    ...{ expected, found: found / STEPS, score, rival: rival / STEPS, rivalScore, compared, excess },
  };
};

/** The index, of a lead over all rivals: the more the lines scatter, the more lead it takes. */
const indexOf = (lead: number, scatter: number): number => {
  const { leastLead, leadPerScatter, mostScatter, indexWithoutLead, indexPerLead } = halConstants;
  const least = leastLead + leadPerScatter * min(scatter, mostScatter);
  return max(0, indexWithoutLead + (indexPerLead * lead) / least);
};

/** The excess at a harmonic of step `found`; NaN outside the spectrum. */
const excessAt = ({ origin }: Excess, excess: Readonly<Float64Array>, found: number, number: number): number =>
  excess[round((found * number) / STEPS + origin)] ?? NOWHERE;

/** The step of the best score as far as the family may run off. */
const strongestNear = ({ shaft }: Excess, family: Family, { scores }: CombScores, expected: number): number => {
  const { slip, speedError, onShaft } = halConstants;
  const off = family.slips ? slip : speedError;
  const isApart = family.slips && coincidenceOf(family) === undefined;
  const to = ceil(expected * (1 + off) * STEPS);
  let best = round(expected * STEPS);
  let most = LEAST;
  for (let step = floor(expected * (1 - off) * STEPS); step <= to; step += 1) {
    const score = valueAt(scores, step);
    if (score <= most) continue;
    const order = step / STEPS / shaft;
    const whole = round(order);
    if (isApart && whole > 0 && abs(order - whole) < onShaft * whole) continue;
    best = step;
    most = score;
  }
  return best;
};

interface Rival {
  readonly rival: number;
  readonly rivalScore: number;
}

/** The step of the best other fundamental that nothing known explains. Blocks without a better one are passed over. */
const bestRival = (
  { shaft }: Excess,
  { modulation }: Family,
  { known }: Grid,
  { scores, blocks }: CombScores,
  { expected, found, score }: { readonly expected: number; readonly found: number; readonly score: number },
): Rival => {
  const { rivalsFrom, rivalsTo, rivalsApart, rivalLinesApart, doubleFrom, slip, same } = halConstants;
  const apart = max(rivalsApart * expected, rivalLinesApart) * STEPS;
  const side = modulation * shaft * STEPS;
  const sideWidth = max(same * found, rivalLinesApart * STEPS);
  const isOwn = (step: number, other: number): boolean => {
    const off = abs(step - found);
    return (
      abs(step - expected * STEPS) < apart ||
      off < rivalLinesApart * STEPS ||
      (abs(step / STEPS / (2 * expected) - 1) < slip && other < doubleFrom * score) ||
      (side > 0 && (abs(off - side) < sideWidth || abs(off - 2 * side) < sideWidth))
    );
  };
  const from = ceil(max(rivalsFrom * expected, halConstants.resolved) * STEPS);
  const to = min(floor(rivalsTo * expected * STEPS), scores.length - 1);
  let rival = 0;
  let rivalScore = 0;
  for (let start = from - (from % BLOCK); start <= to; start += BLOCK) {
    if (valueAt(blocks, start / BLOCK) <= rivalScore) continue;
    const end = min(start + BLOCK - 1, to);
    for (let step = max(start, from); step <= end; step += 1) {
      const other = valueAt(scores, step);
      if (other <= rivalScore || known[step] === 1 || isOwn(step, other)) continue;
      rival = step;
      rivalScore = other;
    }
  }
  return { rival, rivalScore };
};

/** A multiple of the shaft right beside is the rival where it stands out as much: then the family is its shoulder. */
const orShaft = (
  { shaft }: Excess,
  family: Family,
  { scores }: CombScores,
  { expected, score, rival, rivalScore }: Rival & { readonly expected: number; readonly score: number },
): Rival => {
  const { onShaft, rivalsApart, resolved } = halConstants;
  const multiple = round(expected / shaft) * shaft;
  let best = { rival, rivalScore };
  if (
    !family.slips ||
    coincidenceOf(family) !== undefined ||
    shaft < resolved ||
    abs(multiple / expected - 1) >= rivalsApart
  )
    return best;
  const to = floor(multiple * (1 + onShaft) * STEPS);
  for (let step = ceil(multiple * (1 - onShaft) * STEPS); step <= to; step += 1) {
    const other = valueAt(scores, step);
    if (other >= score && other > best.rivalScore) best = { rival: step, rivalScore: other };
  }
  return best;
};
