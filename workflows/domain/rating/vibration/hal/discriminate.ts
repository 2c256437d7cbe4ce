import * as E from 'fp-ts/Either';
import { explained } from './explained';
import type { Excess } from './excess';
import { coincidenceOf, isSame, type Family } from './family';
import { findingOf, type Finding } from './finding';
import { gridOf } from './grid';
import { halConstants } from './hal-constants';

/** The families of a threshold in one spectrum. */
export interface Discriminated {
  readonly spectrum: Excess;
  readonly contenders: ReadonlyArray<Contender>;
  /** By line, the position of the contender that explains it, counted from 1; 0 where none does. */
  readonly explainedBy: Readonly<Uint16Array>;
}

export interface Contender {
  readonly family: Family;
  /** What was found, or why it cannot be rated. */
  readonly rated: E.Either<string, Finding>;
  /** Whether what others explain still changes its rating. */
  readonly isOpen: boolean;
}

/**
 * Fault discrimination: what one family explains is no evidence for another.
 *
 * Multiples of the shaft explain first, then the others, the strongest first, one at a time.
 */
export const discriminate = (spectrum: Excess, families: ReadonlyArray<Family>): Discriminated => {
  const grid = gridOf(spectrum, families);
  const explainedBy = new Uint16Array(spectrum.excess.length);
  let { excess } = spectrum;
  let scores = grid.scoresOf(excess);
  const rate = (family: Family): Contender => ({
    family,
    rated: findingOf(spectrum, family, grid, scores, excess),
    isOpen: family.slips,
  });
  let contenders = families.map(rate);
  const explain = (family: Family, finding: Finding): void => {
    excess = explained(spectrum, excess, family, finding, families, explainedBy);
  };

  const multiples = evident(contenders.filter(({ family }) => !family.slips));
  for (const { family, finding } of multiples) explain(family, finding);
  if (multiples.length > 0) {
    scores = grid.scoresOf(excess);
    contenders = contenders.map((one) => (one.isOpen ? rate(one.family) : one));
  }
  for (let turn = 0; turn < halConstants.turns; turn += 1) {
    const [strongest] = evident(contenders.filter(({ isOpen }) => isOpen));
    if (strongest === undefined) break;
    explain(strongest.family, strongest.finding);
    scores = grid.scoresOf(excess);
    contenders = contenders.map((one) => {
      if (!one.isOpen) return one;
      return isSame(one.family, strongest.family)
        ? { ...one, rated: E.right(strongest.finding), isOpen: false }
        : rate(one.family);
    });
  }
  return { spectrum, contenders: contenders.map(withoutCoincidence), explainedBy };
};

interface Evident {
  readonly family: Family;
  readonly finding: Finding;
}

/** Those that explain lines, the strongest first; none that may be a multiple of the shaft instead. */
const evident = (contenders: ReadonlyArray<Contender>): ReadonlyArray<Evident> =>
  contenders
    .flatMap(({ family, rated }) =>
      E.isRight(rated) && rated.right.index >= halConstants.explains && coincidenceOf(family) === undefined
        ? [{ family, finding: rated.right }]
        : [],
    )
    .sort((one, other) => other.finding.score - one.finding.score);

/** What stands out where a fault and a multiple of the shaft coincide may be either. */
const withoutCoincidence = (contender: Contender): Contender => {
  const { family, rated } = contender;
  const whole = coincidenceOf(family);
  return whole !== undefined && E.isRight(rated) && rated.right.index >= halConstants.explains
    ? { ...contender, rated: E.left(`coincides with ${whole}x, which stands out`) }
    : contender;
};
