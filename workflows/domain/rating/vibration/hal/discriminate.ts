import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { valueAt } from '../spectral-lines';
import { combScores, namedSteps, type CombScores } from './comb';
import { excessOver, type ByLine, type Excess } from './excess';
import { coincidenceOf, fundamentalOf, isSame, multipleFamily, nearestMultiple, sidesOf, type Family } from './family';
import { findingOf, sightOf, type Finding, type Sight } from './hal-index';
import { halConstants } from './hal-constants';

const { abs, ceil, floor, max, min, round } = Math;

/** By line, the name of the family that explains it. */
type Explained = ReadonlyArray<string | undefined>;

/** What was found of a family while nothing was explained, and in the end, among which families. */
export interface Found {
  readonly alone: Finding;
  readonly rated: Finding;
  readonly spectrum: Excess;
  readonly families: ReadonlyArray<Family>;
  readonly explainedBy: Explained;
}

/** What was found of each family, or why it cannot be rated. */
export type Discriminated = ReadonlyMap<Family, E.Either<string, Found>>;

/**
 * Fault discrimination: what one family explains is no evidence for another.
 *
 * Multiples of the shaft explain their lines, and so does the strongest of the others. The rest is rated again. A family without
 * any lead is a rival like any other frequency: a HAL of what is not there changes nothing.
 */
export const discriminate = (spectrum: Excess, families: ReadonlyArray<Family>): Discriminated => {
  const combs = combScores(spectrum, spectrum.excess, families);
  const sights = families.map((family) => [family, sightOf(spectrum, combs, family)] as const);
  const named = presentAmong(
    spectrum,
    combs,
    sights.flatMap(([, sight]) => (E.isRight(sight) ? sight.right : [])),
  );
  const first = sights.map(([family, sight]) => [family, E.map(findingBy(spectrum, named))(sight)] as const);
  const strong = first
    .flatMap(([, alone]) => (E.isRight(alone) && canExplain(alone.right) ? alone.right : []))
    .sort(byScore);
  const strongest = leastOff(underlying(strong.filter(({ family }) => family.slips)));
  const explaining = strong.filter((one) => !one.family.slips || one === strongest);
  const explainedBy = explained(spectrum, explaining);
  const rest =
    explaining.length === 0
      ? combs
      : combScores(spectrum, unexplained(spectrum, explainedBy, strongest?.found), families);
  const rate = (alone: Finding): E.Either<string, Finding> => {
    if (!alone.family.slips || rest === combs) return E.right(alone);
    // What cannot be told from the strongest shares its index, and keeps its own name.
    return strongest && isSame(alone.family, strongest.family)
      ? E.right({ ...strongest, family: alone.family })
      : E.map(findingBy(spectrum, named))(sightOf(spectrum, rest, alone.family));
  };
  const found = (alone: Finding): E.Either<string, Found> =>
    pipe(
      rate(alone),
      E.filterOrElse(isClear, coincides),
      E.filterOrElse((rated) => !isHidden(spectrum, rated, alone), coincides),
      E.map((rated) => ({ alone, rated, spectrum, families, explainedBy })),
    );
  return new Map(first.map(([family, alone]) => [family, E.chain(found)(alone)]));
};

/**
 * The steps of the families that have a lead over all rivals but each other: of all that are looked for, those without any lead
 * are left out, until none is. So what is left out decides nothing about the others.
 */
const presentAmong = (spectrum: Excess, combs: CombScores, sights: ReadonlyArray<Sight>): Readonly<Uint8Array> => {
  let present = sights;
  let named = namedSteps(spectrum, combs, present);
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    const leading = present.filter((sight) => findingOf(spectrum, named, sight).index > halConstants.indexWithoutLead);
    if (leading.length === present.length) break;
    present = leading;
    named = namedSteps(spectrum, combs, present);
  }
  return named;
};

const findingBy =
  (spectrum: Excess, named: Readonly<Uint8Array>) =>
  (sight: Sight): Finding =>
    findingOf(spectrum, named, sight);

/** Bound of the rounds; two or three are usual. */
const MOST_ROUNDS = 4;

/** The strongest first; of equals that which runs off less, lest the order of HALs decide. */
const byScore = (one: Finding, other: Finding): number =>
  other.score - one.score || deviationOf(one) - deviationOf(other) || (one.family.name < other.family.name ? -1 : 1);

/**
 * Of findings, the strongest first, those from the one at half the place of the strongest, which explains more lines. It must stand
 * out nearly as much: where each second line is missing the score is less than half.
 */
const underlying = ([strongest, ...others]: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  if (strongest === undefined) return [];
  const { onShaft, rivalWeight } = halConstants;
  const isHalf = ({ found, score }: Finding): boolean =>
    abs(2 * found - strongest.found) < onShaft * strongest.found && score >= rivalWeight * strongest.score;
  const at = others.findIndex(isHalf);
  return at < 0 ? [strongest, ...others] : others.slice(at);
};

/** Of findings, the strongest first, that which runs off least of those at the place of the strongest. */
const leastOff = ([strongest, ...others]: ReadonlyArray<Finding>): Finding | undefined =>
  strongest &&
  [strongest, ...others.filter(({ found }) => abs(found - strongest.found) < halConstants.onShaft * found)].sort(
    (one, other) => deviationOf(one) - deviationOf(other),
  )[0];

const deviationOf = ({ found, expected }: Finding): number => abs(found / expected - 1);

/** Whether a finding that stands out cannot be a multiple of the shaft instead. */
const isClear = ({ family, index }: Finding): boolean =>
  index < halConstants.explains || coincidenceOf(family) === undefined;

const coincides = ({ family }: Finding): string => `coincides with ${nearestMultiple(family)}x, which stands out`;

/**
 * Whether a family that is not found may have run to the multiple of the shaft beside it: that one stands out as a fault would, also
 * against the shaft's other multiples.
 */
const isHidden = (spectrum: Excess, { family, index }: Finding, { combs }: Finding): boolean => {
  const { explains, slip, rivalWeight } = halConstants;
  const order = fundamentalOf(family, 1);
  const multiple = nearestMultiple(family);
  if (!family.slips || index >= explains || abs(multiple - order) > slip * order) return false;
  const named = new Uint8Array(combs.scores.values.length);
  const asFault = E.map((sight: Sight) => findingOf(spectrum, named, sight));
  const standsOut = E.exists((one: Finding) => one.index >= explains && one.rivalScore < rivalWeight * one.score);
  return standsOut(asFault(sightOf(spectrum, combs, multipleFamily(multiple))));
};

const canExplain = (finding: Finding): boolean => finding.index >= halConstants.explains && isClear(finding);

/** By line, the first of `findings` that explains it: by its peaks and sidebands with their lobes, in all the spectrum. */
const explained = ({ excess, origin, turn, lines }: Excess, findings: ReadonlyArray<Finding>): Explained => {
  const names = Array<string | undefined>(excess.length).fill(undefined);
  for (const { family, found } of findings)
    for (let at = max(1, ceil(-origin / found)) * found; at + origin < excess.length; at += found)
      for (const side of [0, ...sidesOf(family)]) {
        const peak = round(at + side * turn + origin);
        if (valueAt(excess, peak) > halConstants.evident)
          for (let line = max(peak - lines.lobe, 0); line <= peak + lines.lobe; line += 1) names[line] ??= family.name;
      }
  return names;
};

/**
 * What is left of the excess when some lines are explained.
 *
 * Beside strong lines others stand that no list holds. So the floor is raised to the shadow of the nearest harmonic of
 * `found`, the strongest fault.
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
