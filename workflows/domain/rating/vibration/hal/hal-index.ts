import * as E from 'fp-ts/Either';
import { valueAt } from '../spectral-lines';
import { harmonicNumbers, STEPS, stepsAround, type CombScores } from './comb';
import type { ByLine, Excess } from './excess';
import { coincidenceOf, fundamentalOf, sidesOf, type Family } from './family';
import { halConstants } from './hal-constants';
import { bestOf } from './ranked';

const { abs, ceil, floor, max, min, round, sqrt } = Math;

/** What was found of a family. Frequencies are fundamentals in lines. */
export interface Finding {
  readonly family: Family;
  readonly index: number;
  readonly expected: number;
  readonly found: number;
  /** The weighted mean excess of its harmonics. */
  readonly score: number;
  /** The fundamental of the best rival and its score; 0 without one. */
  readonly rival: number;
  readonly rivalScore: number;
  /** The lines of its harmonics that could be compared with a floor. */
  readonly compared: ReadonlyArray<number>;
  /** By what it was found: the excess that counted is less than in the spectrum where another family explains it. */
  readonly combs: CombScores;
}

/** What was found of `family`, or why it cannot be found. */
export const findingOf = (spectrum: Excess, combs: CombScores, family: Family): E.Either<string, Finding> => {
  const { floors, origin, shaft, turn } = spectrum;
  const { counted, scores } = combs;
  const { slip, speedError, onShaft, rivalWeight, indexWithoutLead, indexPerLead } = halConstants;
  const { evident, fewestEvident, mostWithoutEvidence, fewestOwn } = halConstants;
  const expected = fundamentalOf(family, shaft);
  const why = whyUnresolved(spectrum, expected);
  if (why !== undefined) return E.left(why);
  const scoreAt = (step: number): number => valueAt(scores.values, step);
  // What cannot be told from a multiple of the shaft beside it is none of a family that slips, unless all of it coincides.
  const whole = round(expected / turn) * turn;
  const isBeside = family.slips && coincidenceOf(family) === undefined && abs(whole - expected) <= 2 * slip * expected;
  const multiple = isBeside ? whole : 0;
  const beside = stepsAround(multiple, onShaft);
  const isApart = (step: number): boolean => step < beside[0] || step > beside[1];
  const sought = stepsAround(expected, family.slips ? slip : speedError);
  const step = bestOf(scores, sought, -Infinity, isApart);
  const found = step / STEPS;
  const sides = sidesOf(family).map((side) => side * turn * STEPS);
  const other = bestRival(combs, step, expected, sides, sought);
  const lines = harmonicNumbers.map((number) => round(number * found + origin));
  const compared = lines.filter((line) => valueAt(floors, line) > 0);
  if (compared.length === 0) return E.left('only peaks');
  // A multiple of the shaft right beside that stands out as much: only what is apart from the shaft's lines is the family's own.
  const shoulder = bestOf(scores, beside, -Infinity, () => true);
  const isShoulder = multiple > 0 && scoreAt(shoulder) >= max(scoreAt(step), scoreAt(other));
  const own = isShoulder ? harmonicNumbers.filter((number) => isOwn(spectrum, number * found)) : harmonicNumbers;
  if (own.length < fewestOwn) return E.left(tooCoarse(spectrum, found, multiple));
  const score = isShoulder ? scoreOf(spectrum, counted, found, own) : scoreAt(step);
  const index = max(0, indexWithoutLead + indexPerLead * (score - rivalWeight * scoreAt(other)));
  const isEvident =
    own.filter((number) => valueAt(counted, round(number * found + origin)) >= evident).length >= fewestEvident;
  return E.right({
    family,
    index: isEvident ? index : min(index, mostWithoutEvidence),
    expected,
    found,
    score,
    rival: other / STEPS,
    rivalScore: scoreAt(other),
    compared,
    combs,
  });
};

/** Whether what lies `place` lines above 0 Hz is apart from each multiple of the shaft. */
const isOwn = ({ turn, lines }: Excess, place: number): boolean =>
  abs(place - round(place / turn) * turn) > lines.lobe + 0.5;

/** The weighted mean excess of some harmonics, as of all of them (`combScores`). */
const scoreOf = (
  { floors, origin }: Excess,
  counted: ByLine,
  found: number,
  numbers: ReadonlyArray<number>,
): number => {
  let [sum, weights] = [0, 0];
  for (const number of numbers) {
    const line = round(number * found + origin);
    if (!(valueAt(floors, line) > 0)) continue;
    sum += valueAt(counted, line) / sqrt(number);
    weights += 1 / sqrt(number);
  }
  return weights > 0 ? sum / weights : 0;
};

/** The harmonics of a family lie in the lobes of the shaft's: how near lines must be for the last ones to be apart. */
const tooCoarse = ({ lines, turn }: Excess, found: number, multiple: number): string => {
  const apart = ((harmonicNumbers.length + 1 - halConstants.fewestOwn) * abs(found - multiple)) / (lines.lobe + 0.5);
  const most = Number((0.95 * apart * lines.spacing).toPrecision(2));
  return `cannot be told from ${round(multiple / turn)}x: measure with lines at most ${most} Hz apart`;
};

/** The step of the best rival of a family found at a step; 0 without one. Its double and its sidebands share its lines: they are none. */
const bestRival = (
  { rivals, rivalScores }: CombScores,
  found: number,
  expected: number,
  sides: ReadonlyArray<number>,
  [first, last]: readonly [first: number, last: number],
): number => {
  const { slip, resolved, rivalsFrom, rivalsTo } = halConstants;
  const shared = [found, 2 * found, ...sides.map((side) => found + side)];
  const [from, to] = [STEPS * max(rivalsFrom * expected, resolved), STEPS * rivalsTo * expected];
  const stepOf = (line: number): number => valueAt(rivals, line);
  const isRival = (line: number): boolean => {
    const step = stepOf(line);
    const isSought = step >= first && step <= last;
    return !isSought && step >= from && step <= to && shared.every((one) => abs(step - one) >= max(slip * one, STEPS));
  };
  return stepOf(bestOf(rivalScores, [floor(from / STEPS), floor(to / STEPS)], 0, isRival));
};

/** Fewer than two harmonics, or too near. */
const whyUnresolved = ({ excess, origin }: Excess, expected: number): string | undefined => {
  const { resolved } = halConstants;
  const places = harmonicNumbers.map((number) => number * expected + origin);
  if (places.filter((place) => place >= 0 && place <= excess.length - 1).length < 2)
    return 'fewer than two harmonics lie inside the spectrum';
  if (expected >= resolved) return undefined;
  const [apart, needed] = [expected.toPrecision(2), ceil((excess.length * resolved) / expected)];
  return `its harmonics are ${apart} lines apart, ${resolved} are needed: measure this range with ${needed} lines`;
};
