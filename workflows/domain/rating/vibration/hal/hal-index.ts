import * as E from 'fp-ts/Either';
import { valueAt } from '../spectral-lines';
import { harmonicNumbers, STEPS, stepsAround, type CombScores } from './comb';
import type { ByLine, Excess } from './excess';
import { coincidenceOf, fundamentalOf, sidesOf, type Family } from './family';
import { halConstants } from './hal-constants';
import { bestOf } from './ranked';

const { abs, ceil, floor, max, min, round, sqrt } = Math;

/** Where a family stands out most, whatever else does. Frequencies are fundamentals in lines. */
export interface Sight {
  readonly family: Family;
  readonly expected: number;
  readonly found: number;
  /** The weighted mean excess of its harmonics: of those that are its own. */
  readonly score: number;
  readonly isEvident: boolean;
  /** The lines of its harmonics that could be compared with a floor. */
  readonly compared: ReadonlyArray<number>;
  /** By what it was found: the excess that counted is less than in the spectrum where another family explains it. */
  readonly combs: CombScores;
}

/** What was found of a family, by its rivals. */
export interface Finding extends Sight {
  readonly index: number;
  /** The fundamental of the best rival and its score; 0 without one. */
  readonly rival: number;
  readonly rivalScore: number;
}

/** Where `family` stands out, or why it cannot be found. */
export const sightOf = (spectrum: Excess, combs: CombScores, family: Family): E.Either<string, Sight> => {
  const { floors, origin, shaft, turn } = spectrum;
  const { counted, scores } = combs;
  const { slip, onShaft, evident, fewestEvident, fewestOwn } = halConstants;
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
  const step = bestOf(scores, soughtOf(family, expected), -Infinity, isApart);
  const found = step / STEPS;
  const lineOf = (number: number): number => round(number * found + origin);
  const visible = harmonicNumbers.filter((number) => valueAt(floors, lineOf(number)) > 0);
  if (visible.length === 0) return E.left('only peaks');
  // A multiple of the shaft right beside that stands out as much: only what is apart from the shaft's lines is the family's own.
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
    combs,
  });
};

/** The steps at which a family is looked for. */
const soughtOf = ({ slips }: Family, expected: number): readonly [from: number, to: number] =>
  stepsAround(expected, slips ? halConstants.slip : halConstants.speedError);

/** What was found of a family; what is `named` is no rival. */
export const findingOf = ({ turn }: Excess, named: Readonly<Uint8Array>, sight: Sight): Finding => {
  const { rivalWeight, indexWithoutLead, indexPerLead, mostWithoutEvidence } = halConstants;
  const rival = bestRival(sight, named, turn);
  const rivalScore = valueAt(sight.combs.scores.values, rival);
  const index = max(0, indexWithoutLead + indexPerLead * (sight.score - rivalWeight * rivalScore));
  return {
    ...sight,
    index: sight.isEvident ? index : min(index, mostWithoutEvidence),
    rival: rival / STEPS,
    rivalScore,
  };
};

/** Whether what lies `place` lines above 0 Hz is apart from each multiple of the shaft. */
const isOwn = ({ turn, lines }: Excess, place: number): boolean =>
  abs(place - round(place / turn) * turn) > lines.lobe + 0.5;

/** The weighted mean excess of some harmonics, as of all of them (`combScores`). */
const scoreOf = (counted: ByLine, numbers: ReadonlyArray<number>, lineOf: (number: number) => number): number => {
  let [sum, weights] = [0, 0];
  for (const number of numbers) {
    sum += valueAt(counted, lineOf(number)) / sqrt(number);
    weights += 1 / sqrt(number);
  }
  return sum / weights;
};

/** Too many harmonics lie in the lobes of the shaft's: how near lines must be for one to be apart that lies `off` lines off. */
const tooCoarse = ({ lines, turn }: Excess, off: number, multiple: number): string => {
  const most = Number(((0.95 * min(off, turn / 2) * lines.spacing) / (lines.lobe + 0.5)).toPrecision(2));
  return `cannot be told from ${round(multiple / turn)}x: measure with lines at most ${most} Hz apart`;
};

/** The step of the best rival of a family; 0 without one. Its flanks, its double and its sidebands share its lines: they are none. */
const bestRival = (
  { family, expected, found, compared, combs }: Sight,
  named: Readonly<Uint8Array>,
  turn: number,
): number => {
  const { slip, resolved, rivalsFrom, rivalsTo } = halConstants;
  const { peaks, peakScores } = combs;
  const shared = [found, 2 * found, ...sidesOf(family).map((side) => found + side * turn)].map((at) => at * STEPS);
  const plateau = STEPS / compared.length; // so far all harmonics may keep their nearest lines
  const [first, last] = soughtOf(family, expected);
  const [from, to] = [STEPS * max(rivalsFrom * expected, resolved), STEPS * rivalsTo * expected];
  const isRival = (line: number): boolean => {
    const step = valueAt(peaks, line);
    const isNamed = named[step] !== 0 || (step >= first && step <= last);
    return !isNamed && step >= from && step <= to && shared.every((at) => abs(step - at) >= max(slip * at, plateau));
  };
  return valueAt(peaks, bestOf(peakScores, [floor(from / STEPS), floor(to / STEPS)], 0, isRival));
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
