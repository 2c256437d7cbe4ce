import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { valueAt } from '../spectral-lines';
import { combScores, excludedSteps, type CombScores } from './comb';
import { excessOver, type ByLine, type Excess } from './excess';
import {
  coincidenceOf,
  fundamentalOf,
  isSameFamily,
  multipleFamily,
  nearestMultiple,
  sidesOf,
  type Family,
} from './family';
import { leadsRivals, matchOf, rankedMatch, type Match, type RankedMatch } from './hal-index';
import { halConstants } from './hal-constants';

const { abs, ceil, floor, max, min, round } = Math;

/** For each line, the name of the family that explains the line, if any. */
type Explained = ReadonlyArray<string | undefined>;

/** What was found of a family with all lines (`alone`), and without the lines that others of `families` explain (`rated`). */
export interface Found {
  readonly alone: Match;
  readonly rated: RankedMatch;
  readonly spectrum: Excess;
  readonly families: ReadonlyArray<Family>;
  readonly explainedBy: Explained;
}

/** What was found of each family, or why it cannot be rated. */
export type Discriminated = ReadonlyMap<Family, E.Either<string, Found>>;

/**
 * Fault discrimination: lines that one family explains are no evidence for another family.
 *
 * Multiples of the shaft explain their lines, and so does the strongest of the other families. All other families that may slip
 * are rated again without these lines. A family without a lead over other frequencies explains nothing, and may be a rival like
 * any frequency. So a HAL for a fault that does not exist changes no other HAL.
 */
export const discriminate = (spectrum: Excess, families: ReadonlyArray<Family>): Discriminated => {
  const combs = combScores(spectrum, spectrum.excess, families);
  const matches = families.map((family) => [family, matchOf(spectrum, combs, family)] as const);
  const excluded = presentAmong(
    spectrum,
    combs,
    matches.flatMap(([, match]) => (E.isRight(match) ? match.right : [])),
  );
  const rank = (match: Match): RankedMatch => rankedMatch(spectrum, excluded, match);
  const strong = matches
    // Families without evidence are left out to save time: their index is too low to explain lines (`mostWithoutEvidence`).
    .flatMap(([, match]) => (E.isRight(match) && match.right.isEvident ? rank(match.right) : []))
    .filter(canExplain)
    .sort(byScore);
  const strongest = leastOff(underlying(strong.filter(({ family }) => family.slips)));
  const explaining = strong.filter((one) => !one.family.slips || one === strongest);
  const explainedBy = explained(spectrum, explaining);
  const rest =
    explaining.length === 0
      ? combs
      : combScores(spectrum, unexplained(spectrum, explainedBy, strongest?.found), families);
  const rate = (alone: Match): E.Either<string, RankedMatch> => {
    if (!alone.family.slips || rest === combs) return E.right(rank(alone));
    // A family that cannot be distinguished from the strongest one gets its index, but keeps its name and expected frequency.
    return strongest && isSameFamily(alone.family, strongest.family)
      ? E.right({ ...strongest, family: alone.family, expected: alone.expected })
      : E.map(rank)(matchOf(spectrum, rest, alone.family));
  };
  const isHidden = hiddenIn(spectrum, combs);
  const found = (alone: Match): E.Either<string, Found> =>
    pipe(
      rate(alone),
      E.filterOrElse(isClear, coincides),
      E.filterOrElse((rated) => !isHidden(rated), coincides),
      E.map((rated) => ({ alone, rated, spectrum, families, explainedBy })),
    );
  return new Map(matches.map(([family, match]) => [family, E.chain(found)(match)]));
};

/**
 * For each step of the grid, 1 if a family that is present or a multiple of the shaft lies there: the step is no rival then. A
 * family is present if it has a lead over all rivals. Each round drops the families without a lead, so that a fault that does
 * not exist decides nothing about other faults. The rounds end when all remaining families have a lead.
 */
const presentAmong = (spectrum: Excess, combs: CombScores, matches: ReadonlyArray<Match>): Readonly<Uint8Array> => {
  let present = matches;
  let excluded = excludedSteps(spectrum, combs, present);
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    const leading = present.filter((match) => leadsRivals(spectrum, excluded, match));
    if (leading.length === present.length) break;
    present = leading;
    excluded = excludedSteps(spectrum, combs, present);
  }
  return excluded;
};

/** Most rounds; two or three are usual. */
const MOST_ROUNDS = 4;

/** The strongest first; of equals, the one nearer to its expected frequency, so that the order of HALs does not matter. */
const byScore = (one: RankedMatch, other: RankedMatch): number =>
  other.score - one.score || deviationOf(one) - deviationOf(other) || (one.family.name < other.family.name ? -1 : 1);

/**
 * If a match at half the frequency of the strongest (the first) scores nearly as much as the strongest, drops all matches
 * before it: its comb, of half the distance, explains more lines. If only the strongest were a fault, the comb at half its
 * frequency would lack every second line, and score less than half as much.
 */
const underlying = ([strongest, ...others]: ReadonlyArray<RankedMatch>): ReadonlyArray<RankedMatch> => {
  if (strongest === undefined) return [];
  const { onShaft, rivalWeight } = halConstants;
  const isHalf = ({ found, score }: RankedMatch): boolean =>
    abs(2 * found - strongest.found) < onShaft * strongest.found && score >= rivalWeight * strongest.score;
  const at = others.findIndex(isHalf);
  return at < 0 ? [strongest, ...others] : others.slice(at);
};

/** Of the matches at the frequency of the strongest (the first), the one that is nearest to its expected frequency. */
const leastOff = ([strongest, ...others]: ReadonlyArray<RankedMatch>): RankedMatch | undefined =>
  strongest &&
  [strongest, ...others.filter(({ found }) => abs(found - strongest.found) < halConstants.onShaft * found)].sort(
    (one, other) => deviationOf(one) - deviationOf(other),
  )[0];

const deviationOf = ({ found, expected }: RankedMatch): number => abs(found / expected - 1);

/** False if a family reaches the index `explains` but coincides with a multiple of the shaft, which may be the cause. */
const isClear = ({ family, index }: RankedMatch): boolean =>
  index < halConstants.explains || coincidenceOf(family) === undefined;

const coincides = ({ family }: RankedMatch): string => `coincides with ${nearestMultiple(family)}x, which stands out`;

/**
 * Creates a function that returns true if a family below the index 3.5 may be hidden: slip may have moved it onto a multiple of
 * the shaft. For this, the multiple must reach 3.5 itself, also when compared with the shaft's other multiples.
 */
const hiddenIn = (spectrum: Excess, combs: CombScores): ((rated: RankedMatch) => boolean) => {
  const { explains, slip, rivalWeight } = halConstants;
  const excluded = new Uint8Array(combs.scores.values.length);
  const standsOut = (multiple: number): boolean =>
    pipe(
      matchOf(spectrum, combs, multipleFamily(multiple)),
      E.map((match) => rankedMatch(spectrum, excluded, match)),
      E.exists((one) => one.index >= explains && one.rivalScore < rivalWeight * one.score),
    );
  // Results are kept, because many families lie beside the same multiple.
  const known = new Map<number, boolean>();
  return ({ family, index }) => {
    const order = fundamentalOf(family, 1);
    const multiple = nearestMultiple(family);
    if (!family.slips || index >= explains || abs(multiple - order) > slip * order) return false;
    const hides = known.get(multiple) ?? standsOut(multiple);
    known.set(multiple, hides);
    return hides;
  };
};

const canExplain = (one: RankedMatch): boolean => one.index >= halConstants.explains && isClear(one);

/**
 * For each line, the name of the first of `ranked` that explains it. A match explains the peaks that stand out at the
 * harmonics of its frequency and at their sidebands, each with the lines beside it that belong to its lobe.
 */
const explained = ({ excess, origin, turn, lines }: Excess, ranked: ReadonlyArray<RankedMatch>): Explained => {
  const names = Array<string | undefined>(excess.length).fill(undefined);
  for (const { family, found } of ranked)
    for (let at = max(1, ceil(-origin / found)) * found; at + origin < excess.length; at += found)
      for (const side of [0, ...sidesOf(family)]) {
        const peak = round(at + side * turn + origin);
        if (valueAt(excess, peak) > halConstants.evident)
          for (let line = max(peak - lines.lobe, 0); line <= peak + lines.lobe; line += 1) names[line] ??= family.name;
      }
  return names;
};

/**
 * The excess of each line over the noise floor, without the lines that are explained.
 *
 * Strong lines have weaker lines beside them that belong to no family. So that these do not count, the floor is raised to a
 * tenth (`shadow`) of the nearest harmonic of `found`, the strongest fault.
 */
const unexplained = ({ amplitudes, floors, origin }: Excess, explainedBy: Explained, found = 0): ByLine => {
  const [lowest, highest] = [ceil((1 - origin) / found), floor((floors.length - 1 - origin) / found)];
  const shadowOf = (line: number): number => {
    const number = max(lowest, min(round((line - origin) / found), highest));
    return found > 0 ? halConstants.shadow * valueAt(amplitudes, round(number * found + origin)) : 0;
  };
  const raised = floors.map((noise, line) => (noise > 0 ? max(noise, shadowOf(line)) : 0));
  return excessOver(amplitudes, raised).map((over, line) => (explainedBy[line] === undefined ? over : min(over, 0)));
};
