import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { valueAt } from '../spectral-lines';
import { combScores, knownSteps, type CombScores } from './comb';
import type { Excess } from './excess';
import { coincidenceOf, isSame, type Family } from './family';
import { expectedOf, findingOf, type Finding } from './finding';
import { halConstants } from './hal-constants';

/** The families of a threshold in one spectrum. */
export interface Discriminated {
  readonly spectrum: Excess;
  /** While nothing is explained. */
  readonly combs: CombScores;
  readonly contenders: ReadonlyArray<Contender>;
  /** By line, the position of the contender that explains it, counted from 1; 0 where none does. */
  readonly explainedBy: Readonly<Uint16Array>;
}

export interface Contender {
  readonly family: Family;
  /** What was found while nothing was explained, and in the end; or why it cannot be rated. */
  readonly alone: E.Either<string, Finding>;
  readonly rated: E.Either<string, Finding>;
}

/**
 * Fault discrimination: what one family explains is no evidence for another.
 *
 * Multiples of the shaft explain their lines, and so does the strongest of the others. The rest is rated again.
 */
export const discriminate = (spectrum: Excess, families: ReadonlyArray<Family>): Discriminated => {
  const sought = families.map((family) => ({ family, expected: expectedOf(spectrum, family) }));
  const known = knownSteps(
    spectrum,
    sought.flatMap(({ expected }) => (E.isRight(expected) ? expected.right : [])),
  );
  const ratingBy =
    (excess: Readonly<Float64Array>, scores = combScores(spectrum, excess, known)) =>
    ({ family, expected }: (typeof sought)[number]): E.Either<string, Finding> =>
      E.chain((places: ReadonlyArray<number>) => findingOf(spectrum, family, places, scores, excess))(expected);
  const combs = combScores(spectrum, spectrum.excess, known);
  const rateAlone = ratingBy(spectrum.excess, combs);
  const first = sought.map((one) => ({ one, family: one.family, alone: rateAlone(one) }));
  const all = evidentOf(first);
  const [strongest] = all.filter(({ family }) => family.slips);
  const evident = all.filter((one) => !one.family.slips || one === strongest);
  const explainedBy = new Uint16Array(spectrum.excess.length);
  for (const one of evident) explain(spectrum, one, families.indexOf(one.family) + 1, explainedBy);
  const rate =
    evident.length === 0 ? rateAlone : ratingBy(unexplained(spectrum, explainedBy, strongest?.finding.found));
  const contenders = first.map(({ one, family, alone }) => {
    if (!family.slips) return { family, alone, rated: alone };
    const whole = coincidenceOf(family);
    const isStrongest = strongest !== undefined && isSame(family, strongest.family);
    const rated = pipe(
      isStrongest ? E.right(strongest.finding) : rate(one),
      E.filterOrElse(
        ({ index }) => whole === undefined || index < halConstants.explains, // else it may be either
        () => `coincides with ${whole}x, which stands out`,
      ),
    );
    return { family, alone, rated };
  });
  return { spectrum, combs, contenders, explainedBy };
};

interface Evident {
  readonly family: Family;
  readonly finding: Finding;
}

/** Those that explain lines, the strongest first; none that may be a multiple of the shaft instead. */
const evidentOf = (contenders: ReadonlyArray<Pick<Contender, 'family' | 'alone'>>): ReadonlyArray<Evident> =>
  contenders
    .flatMap(({ family, alone }) =>
      E.isRight(alone) && alone.right.index >= halConstants.explains && coincidenceOf(family) === undefined
        ? [{ family, finding: alone.right }]
        : [],
    )
    .sort((one, other) => other.finding.score - one.finding.score);

/** Marks by `mark` the lines that a family explains: its peaks and sidebands with their lobes, in all the spectrum. */
const explain = (
  { excess, origin, turn, lines: { lobe } }: Excess,
  { family: { modulation }, finding: { found } }: Evident,
  mark: number,
  explainedBy: Uint16Array,
): void => {
  const sides = modulation === 0 ? [0] : [-2, -1, 0, 1, 2].map((times) => times * modulation * turn);
  for (let at = found; at + origin < excess.length; at += found)
    for (const side of sides) {
      const peak = Math.round(at + side + origin);
      if (valueAt(excess, peak) <= halConstants.evident) continue;
      for (let line = Math.max(peak - lobe, 0); line <= peak + lobe; line += 1)
        if (explainedBy[line] === 0) explainedBy[line] = mark;
    }
};

/**
 * What is left of the excess when some lines are explained.
 *
 * Beside strong lines others stand that no list holds. So nothing counts that is not above the shadow of the nearest harmonic
 * of `found`.
 */
const unexplained = (
  { excess, logs, origin, first }: Excess,
  explainedBy: Readonly<Uint16Array>,
  found: number | undefined,
): Readonly<Float64Array> => {
  const { leastExcess, shadow } = halConstants;
  const left = new Float64Array(excess.length);
  const [lowest, highest] =
    found === undefined
      ? [0, 0]
      : [Math.ceil((first - origin) / found), Math.floor((left.length - 1 - origin) / found)];
  for (let line = 0; line < left.length; line += 1) {
    const over = valueAt(excess, line);
    left[line] = explainedBy[line] === 0 ? over : Math.min(over, 0);
    if (found === undefined) continue;
    const number = Math.max(lowest, Math.min(Math.round((line - origin) / found), highest));
    const above = valueAt(logs, line) - valueAt(logs, Math.round(number * found + origin)) - shadow;
    left[line] = Math.min(valueAt(left, line), Math.max(above, leastExcess));
  }
  return left;
};
