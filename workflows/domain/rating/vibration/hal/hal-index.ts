import * as E from 'fp-ts/Either';
import { hardLimits } from '../../../limits';
import { valueAt } from '../spectral-lines';
import { harmonicNumbers, STEPS, stepsAround, type CombScores } from './comb';
import type { ByLine, Excess } from './excess';
import { coincidenceOf, fundamentalOf, sidesOf, type Family } from './family';
import { halConstants } from './hal-constants';
import { bestOf } from './ranked';

const { abs, ceil, floor, max, min, round, sqrt } = Math;

/** Where a family stands out most, before it is compared with rivals. Frequencies are in lines. */
export interface Match {
  readonly family: Family;
  readonly expected: number;
  readonly found: number;
  /** Weighted mean excess of the family's harmonics; beside strong lines of the shaft, only of harmonics apart from them. */
  readonly score: number;
  readonly isEvident: boolean;
  /** The line of each harmonic, unless that line has no noise floor. */
  readonly compared: ReadonlyArray<number>;
  /** Number of the harmonics from which `score` was computed. */
  readonly used: number;
  /** The scores in which the family was found: of all lines, or of those that no other family explains. */
  readonly combs: CombScores;
}

/**
 * What was found of a family, compared with its rivals. A rival is another fundamental whose harmonics stand out, too, and that
 * belongs neither to the shaft nor to a fault known to be present.
 */
export interface RankedMatch extends Match {
  readonly index: number;
  /** The best rival's fundamental and score; both are 0 if there is none. */
  readonly rival: number;
  readonly rivalScore: number;
}

/** Finds where `family` stands out most, or returns why that cannot be found. */
export const matchOf = (spectrum: Excess, combs: CombScores, family: Family): E.Either<string, Match> => {
  const { floors, origin, shaft, turn } = spectrum;
  const { counted, scores } = combs;
  const { slip, onShaft, evident, fewestEvident, fewestOwn } = halConstants;
  const expected = fundamentalOf(family, shaft);
  const why = whyUnresolved(spectrum, expected);
  if (why !== undefined) return E.left(why);
  const scoreAt = (step: number): number => valueAt(scores.values, step);
  // A fault on a multiple of the shaft looks like the shaft. So a family that slips is sought beside the multiple, unless the
  // family is expected right on it.
  const whole = round(expected / turn) * turn;
  const isBeside = family.slips && coincidenceOf(family) === undefined && abs(whole - expected) <= 2 * slip * expected;
  const multiple = isBeside ? whole : 0;
  const beside = stepsAround(multiple, onShaft);
  const isApart = (step: number): boolean => step < beside[0] || step > beside[1];
  const step = bestOf(scores, soughtOf(family, expected), -Infinity, isApart);
  const found = step / STEPS;
  const lineOf = (number: number): number => round(number * found + origin);
  const visible = harmonicNumbers.filter((number) => valueAt(floors, lineOf(number)) > 0);
  if (visible.length === 0) return E.left('only peaks');
  // If the multiple of the shaft scores as much as the family, only harmonics that lie apart from the shaft's lines count.
  const isShoulder = isBeside && scoreAt(bestOf(scores, beside, -Infinity, () => true)) >= scoreAt(step);
  const own = isShoulder ? visible.filter((number) => isOwn(spectrum, number * found)) : visible;
  const fewest = min(fewestOwn, visible.length);
  if (own.length < fewest)
    return E.left(tooCoarse(spectrum, (visible.length + 1 - fewest) * abs(found - multiple), multiple));
  return E.right({
    family,
    expected,
    found,
    score: isShoulder ? scoreOf(counted, own, lineOf) : scoreAt(step),
    isEvident: own.filter((number) => valueAt(counted, lineOf(number)) >= evident).length >= fewestEvident,
    compared: visible.map(lineOf),
    used: own.length,
    combs,
  });
};

/** The steps at which a family is looked for. */
const soughtOf = ({ slips }: Family, expected: number): readonly [from: number, to: number] =>
  stepsAround(expected, slips ? halConstants.slip : halConstants.speedError);

/** Compares a family with its best rival. Steps that are 1 in `excluded` (present faults, the shaft) are no rivals. */
export const rankedMatch = (spectrum: Excess, excluded: Readonly<Uint8Array>, match: Match): RankedMatch => ({
  ...match,
  ...comparedBy(spectrum, excluded, match),
});

/** Whether a family has a lead over all its rivals. */
export const leadsRivals = (spectrum: Excess, excluded: Readonly<Uint8Array>, match: Match): boolean => {
  const { rivalWeight, indexWithoutLead } = halConstants;
  // A rival takes the lead from the family if it scores at least `score / rivalWeight`. The factor 0.999 allows for rounding.
  // To look for such rivals alone takes a tenth of the time.
  const least = max(0, (0.999 * match.score) / rivalWeight);
  return comparedBy(spectrum, excluded, match, least).index > indexWithoutLead;
};

/** The index of a family, and its best rival among those that score more than `least`. */
const comparedBy = (
  { turn }: Excess,
  excluded: Readonly<Uint8Array>,
  match: Match,
  least = 0,
): Pick<RankedMatch, 'index' | 'rival' | 'rivalScore'> => {
  const { rivalWeight, indexWithoutLead, indexPerLead, mostWithoutEvidence } = halConstants;
  const rival = bestRival(match, excluded, turn, least);
  const rivalScore = rival > 0 ? valueAt(match.combs.scores.values, rival) : 0;
  const index = max(0, indexWithoutLead + indexPerLead * (match.score - rivalWeight * rivalScore));
  return { index: match.isEvident ? index : min(index, mostWithoutEvidence), rival: rival / STEPS, rivalScore };
};

/** Whether a place, in lines above 0 Hz, lies outside the lobe of every multiple of the shaft. */
const isOwn = ({ turn, lines }: Excess, place: number): boolean =>
  abs(place - round(place / turn) * turn) > lines.lobe + 0.5;

/** The weighted mean excess of the harmonics `numbers`. The weights are those of `combScores`. */
const scoreOf = (counted: ByLine, numbers: ReadonlyArray<number>, lineOf: (number: number) => number): number => {
  let [sum, weights] = [0, 0];
  for (const number of numbers) {
    sum += valueAt(counted, lineOf(number)) / sqrt(number);
    weights += 1 / sqrt(number);
  }
  return sum / weights;
};

/** States that too many harmonics lie in the shaft's lobes, and the line spacing that separates a harmonic `off` lines away. */
const tooCoarse = ({ lines, turn }: Excess, off: number, multiple: number): string => {
  const most = Number(((0.95 * min(off, turn / 2) * lines.spacing) / (lines.lobe + 0.5)).toPrecision(2));
  return `cannot be told from ${round(multiple / turn)}x: measure with lines at most ${most} Hz apart`;
};

/** The step of the best rival that scores over `least`, else 0. No rivals: the family's flanks, double, and sidebands. */
const bestRival = (
  { family, expected, found, compared, combs }: Match,
  excluded: Readonly<Uint8Array>,
  turn: number,
  least: number,
): number => {
  const { slip, resolved, rivalsFrom, rivalsTo } = halConstants;
  const { peaks, peakScores } = combs;
  const shared = [found, 2 * found, ...sidesOf(family).map((side) => found + side * turn)].map((at) => at * STEPS);
  const plateau = STEPS / compared.length; // steps nearer than this may have the same nearest lines for all harmonics
  const [first, last] = soughtOf(family, expected);
  const [from, to] = [STEPS * max(rivalsFrom * expected, resolved), STEPS * rivalsTo * expected];
  const isRival = (line: number): boolean => {
    const step = valueAt(peaks, line);
    const isExcluded = excluded[step] !== 0 || (step >= first && step <= last);
    return !isExcluded && step >= from && step <= to && shared.every((at) => abs(step - at) >= max(slip * at, plateau));
  };
  const line = bestOf(peakScores, [floor(from / STEPS), floor(to / STEPS)], least, isRival);
  return line > 0 ? valueAt(peaks, line) : 0;
};

/** Why harmonics are not resolved: too few lie inside the spectrum, or too near each other. Undefined if they are resolved. */
const whyUnresolved = ({ excess, origin }: Excess, expected: number): string | undefined => {
  const { resolved } = halConstants;
  const places = harmonicNumbers.map((number) => number * expected + origin);
  if (places.filter((place) => place >= 0 && place <= excess.length - 1).length < 2)
    return 'fewer than two harmonics lie inside the spectrum';
  if (expected >= resolved) return undefined;
  const [apart, needed] = [expected.toPrecision(2), ceil((excess.length * resolved) / expected)];
  const advice = needed <= hardLimits.spectrumLines ? `: measure this range with ${needed} lines` : '';
  return `its harmonics are ${apart} lines apart, ${resolved} are needed${advice}`;
};
