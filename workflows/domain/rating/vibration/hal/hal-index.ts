import * as E from 'fp-ts/Either';
import { valueAt } from '../spectral-lines';
import { harmonicNumbers, STEPS, type CombScores } from './comb';
import type { Excess } from './excess';
import { coincidenceOf, fundamentalOf, sidesOf, type Family } from './family';
import { halConstants } from './hal-constants';
import { bestOf } from './ranked';

const { abs, ceil, floor, max, min, round } = Math;

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
  const { evident, fewestEvident, mostWithoutEvidence } = halConstants;
  const expected = fundamentalOf(family, shaft);
  const why = whyUnresolved(spectrum, expected);
  if (why !== undefined) return E.left(why);
  const scoreAt = (step: number): number => valueAt(scores.values, step);
  // What cannot be told from a multiple of the shaft beside it is none of a family that slips, unless all of it coincides.
  const whole = round(expected / turn) * turn;
  const isBeside = family.slips && coincidenceOf(family) === undefined && abs(whole - expected) <= 2 * slip * expected;
  const multiple = isBeside ? whole : 0;
  const isApart = (step: number): boolean => abs(step / STEPS - multiple) >= onShaft * multiple;
  const step = bestOf(scores, around(expected, family.slips ? slip : speedError), -Infinity, isApart);
  const found = step / STEPS;
  const sides = sidesOf(family).map((side) => side * turn * STEPS);
  const other = bestRival(combs, step, expected, sides);
  // A multiple of the shaft right beside that stands out as much: then the family is its shoulder.
  const shoulder = bestOf(scores, around(multiple, onShaft), -Infinity, () => true);
  const rival = scoreAt(shoulder) >= max(scoreAt(step), scoreAt(other)) ? shoulder : other;
  const index = max(0, indexWithoutLead + indexPerLead * (scoreAt(step) - rivalWeight * scoreAt(rival)));
  const lines = harmonicNumbers.map((number) => round(number * found + origin));
  const isEvident = lines.filter((line) => valueAt(counted, line) >= evident).length >= fewestEvident;
  const finding = {
    family,
    index: isEvident ? index : min(index, mostWithoutEvidence),
    expected,
    found,
    score: scoreAt(step),
    rival: rival / STEPS,
    rivalScore: scoreAt(rival),
    compared: lines.filter((line) => valueAt(floors, line) > 0),
    combs,
  };
  return finding.compared.length === 0 ? E.left('only peaks') : E.right(finding);
};

/** The step of the best rival of a family found at a step; 0 without one. Its double and its sidebands share its lines: they are none. */
const bestRival = (
  { rivals, rivalScores }: CombScores,
  found: number,
  expected: number,
  sides: ReadonlyArray<number>,
): number => {
  const { slip, resolved, rivalsFrom, rivalsTo } = halConstants;
  const shared = [2 * found, ...sides.map((side) => found + side)];
  const [from, to] = [STEPS * max(rivalsFrom * expected, resolved), STEPS * rivalsTo * expected];
  const stepOf = (line: number): number => valueAt(rivals, line);
  const isRival = (line: number): boolean => {
    const step = stepOf(line);
    return step >= from && step <= to && shared.every((one) => abs(step - one) >= slip * one);
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

/** The steps within a share of a fundamental. */
const around = (at: number, share: number): readonly [from: number, to: number] => [
  floor(at * (1 - share) * STEPS),
  ceil(at * (1 + share) * STEPS),
];
