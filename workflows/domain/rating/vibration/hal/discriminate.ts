import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { valueAt } from '../lines';
import { combScorer } from './comb';
import type { Excess } from './excess';
import { coincidenceOf, isSame, type Family } from './family';
import { expectedOf, findingOf, type Finding } from './finding';
import { halConstants } from './hal-constants';

/** Held here: a lookup of a global costs the sandbox of workflows as much as 100 sums. */
const { abs, floor, max, min, round } = Math;

/** The families of a threshold in one spectrum. */
export interface Discriminated {
  readonly spectrum: Excess;
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
 * Multiples of the shaft explain first, then the strongest of the others.
 */
export const discriminate = (spectrum: Excess, families: ReadonlyArray<Family>): Discriminated => {
  const sought = families.map((family) => ({ family, expected: expectedOf(spectrum, family) }));
  const scoresOf = combScorer(
    spectrum,
    sought.flatMap(({ expected }) => (E.isRight(expected) ? expected.right : [])),
  );
  const explainedBy = new Uint16Array(spectrum.excess.length);
  let { excess } = spectrum;
  let scores = scoresOf(excess);
  const rate = ({ family, expected }: (typeof sought)[number]): E.Either<string, Finding> =>
    pipe(
      expected,
      E.chain((places) => findingOf(spectrum, family, places, scores, excess)),
    );
  let contenders = sought.map((one) => {
    const rated = rate(one);
    return { ...one, alone: rated, rated };
  });
  const explain = (by: ReadonlyArray<Evident>): void => {
    if (by.length === 0) return;
    for (const one of by) excess = explained(spectrum, excess, one, families, explainedBy);
    scores = scoresOf(excess);
    contenders = contenders.map((one) => {
      if (!one.family.slips) return one;
      const same = by.find(({ family }) => family.slips && isSame(one.family, family));
      return { ...one, rated: same === undefined ? rate(one) : E.right(same.finding) };
    });
  };
  explain(evident(contenders.filter(({ family }) => !family.slips)));
  explain(evident(contenders.filter(({ family }) => family.slips)).slice(0, 1));
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

/**
 * What is left of `excess` when a family explains its lines: its peaks and sidebands with their lobes, in all the spectrum.
 *
 * Beside strong lines others stand that no list holds. So nothing counts that is far weaker than the lines of a fault.
 * In `explainedBy` the lines are marked.
 */
const explained = (
  spectrum: Excess,
  excess: Readonly<Float64Array>,
  { family: by, finding: { found } }: Evident,
  families: ReadonlyArray<Family>,
  explainedBy: Uint16Array,
): Readonly<Float64Array> => {
  const left = excess.slice();
  const { origin, shaft, lines } = spectrum;
  const position = families.indexOf(by) + 1;
  const sides = by.modulation === 0 ? [0] : [-2, -1, 0, 1, 2].map((times) => times * by.modulation * shaft);
  for (let at = found; at + origin < left.length; at += found) {
    if (!by.slips && mayBeFault(at / shaft, families)) continue;
    for (const side of sides) {
      const peak = peakNear(spectrum, at + side + origin);
      if (!(valueAt(spectrum.excess, peak) > halConstants.evident)) continue;
      for (let line = max(peak - lines.lobe, 0); line <= min(peak + lines.lobe, left.length - 1); line += 1) {
        left[line] = min(valueAt(left, line), 0);
        if (explainedBy[line] === 0) explainedBy[line] = position;
      }
    }
  }
  if (by.slips) shade(spectrum, left, found);
  return left;
};

/** Whether a fault or a belt may run at `order`: then a multiple of the shaft explains nothing there. */
const mayBeFault = (order: number, families: ReadonlyArray<Family>): boolean =>
  families.some(
    ({ factor, slips, strikes }) =>
      slips && strikes.some((strike) => abs(order / (factor * strike) - 1) < halConstants.slip),
  );

/** The highest line at a place and right beside it. */
const peakNear = ({ logs }: Excess, place: number): number => {
  const line = round(place);
  const higher = valueAt(logs, line + 1) > valueAt(logs, line) ? line + 1 : line;
  return valueAt(logs, line - 1) > valueAt(logs, higher) ? line - 1 : higher;
};

/** Bounds what is left by how far a line is above the shadow of the harmonics of `found`, whose heights are interpolated. */
const shade = (spectrum: Excess, left: Float64Array, found: number): void => {
  const { leastExcess, shadow } = halConstants;
  const { logs, origin } = spectrum;
  const heightOf = (number: number): number => valueAt(logs, peakNear(spectrum, number * found + origin));
  const last = floor((left.length - 2 - origin) / found);
  let number = 0;
  let height = heightOf(1);
  let next = height;
  for (let line = 0; line < left.length; line += 1) {
    const at = (line - origin) / found;
    while (number < last && at >= number + 1) {
      number += 1;
      height = next;
      next = heightOf(min(number + 1, last));
    }
    const share = min(max(at - number, 0), 1);
    const above = valueAt(logs, line) - height - share * (next - height) - shadow;
    left[line] = min(valueAt(left, line), max(above, leastExcess));
  }
};
