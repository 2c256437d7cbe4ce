import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { DESCRIPTION_LENGTH } from '../../../limits';
import { notRatable, type HalPart } from '../../../alarm/parts';
import { shortened } from '../../../codecs';
import type { Hal } from '../../../threshold/hal';
import { rateUpper } from '../../../threshold/alarm-limits';
import { hzAt, type Lines } from '../spectral-lines';
import { discriminate, type Discriminated, type Found } from './discriminate';
import { excessOf } from './excess';
import type { Family } from './family';
import { MOST_STEPS, ratingSteps } from './rating-steps';

/** A HAL (harmonic alarm) and its families, or why it has none. */
export interface HalRule {
  readonly hal: Hal;
  readonly families: E.Either<string, ReadonlyArray<Family>>;
}

/**
 * Rates HALs by how far the harmonics of their fault frequencies stand out, compared with all other explanations.
 *
 * Errors:   NO_DATA and an `errorDescription`; the other HALs are rated all the same.
 * Source:   docs/hal.md.
 */
export const rateHals = (
  halRules: ReadonlyArray<HalRule>,
  lines: E.Either<string, Lines>,
  measurementId: string,
): ReadonlyArray<HalPart> =>
  findHals(halRules, lines).map(({ hal, found }) =>
    pipe(
      found,
      E.match(
        (why): HalPart => ({ ...notRatable(measurementId), errorDescription: shortened(why, DESCRIPTION_LENGTH) }),
        ({ rated: { family, index, used }, spectrum }): HalPart => ({
          status: rateUpper(index, hal),
          triggeringMeasurement: measurementId,
          faultFrequency: family.factor * spectrum.lines.shaftHz,
          halIndex: index,
          numberOfHarmonicsUsed: used,
          rpmFactor: family.factor,
        }),
      ),
    ),
  );

/** What each HAL finds in `lines`, or why it finds nothing. All are rated together: one may explain lines of another. */
export const findHals = (
  halRules: ReadonlyArray<HalRule>,
  lines: E.Either<string, Lines>,
  mostSteps = MOST_STEPS,
): ReadonlyArray<{ readonly hal: Hal; readonly found: E.Either<string, Found> }> => {
  const all = halRules.flatMap(({ families }) => (E.isRight(families) ? families.right : []));
  const among = pipe(
    lines,
    E.filterOrElse(isTurning, () => 'the speed is 0'),
    E.filterOrElse(hasSpacing, () => 'the lines have no spacing'),
    E.filterOrElse(
      (readable) => ratingSteps(readable, all) <= mostSteps,
      () => 'the rating would take more work than a node may do for one spectrum',
    ),
    E.map((readable) => discriminate(excessOf(readable), all)),
  );
  return halRules.map(({ hal, families }) => ({
    hal,
    found: E.chain((named: ReadonlyArray<Family>) => E.chain(greatestOf(named))(among))(families),
  }));
};

const isTurning = ({ shaftHz }: Lines): boolean => shaftHz > 0;

const hasSpacing = (lines: Lines): boolean => lines.spacing > 0 && Number.isFinite(hzAt(lines, lines.hz.length - 1));

const greatestOf =
  (families: ReadonlyArray<Family>) =>
  (among: Discriminated): E.Either<string, Found> =>
    families
      .map((family) => among.get(family))
      .filter((found) => found !== undefined)
      .reduce((one, other) => (indexOf(other) > indexOf(one) ? other : one));

const indexOf = (found: E.Either<string, Found>): number => (E.isLeft(found) ? -1 : found.right.rated.index);
