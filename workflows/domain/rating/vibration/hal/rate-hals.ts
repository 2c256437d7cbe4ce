import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { DESCRIPTION_LENGTH } from '../../../limits';
import { notRatable, type HalPart } from '../../../alarm/parts';
import { shortened } from '../../../codecs/shortened';
import type { Hal } from '../../../threshold/hal';
import { rateUpper } from '../../../threshold/upper-limits';
import type { Lines } from '../lines';
import { findHals, type FindOrders } from './find-hals';

/**
 * HALs, rated by how far the harmonics of their frequencies stand out, against every other explanation.
 *
 * Errors:   NO_DATA and an `errorDescription`: one HAL fails alone.
 * Source:   docs/hal.md.
 */
export const rateHals = (
  hals: ReadonlyArray<Hal>,
  findOrders: FindOrders,
  lines: E.Either<string, Lines>,
  measurementId: string,
): ReadonlyArray<HalPart> =>
  findHals(hals, findOrders, lines).map(({ hal, found }) =>
    pipe(
      found,
      E.match(
        (why): HalPart => ({ ...notRatable(measurementId), errorDescription: shortened(why, DESCRIPTION_LENGTH) }),
        ({ family, finding, among }): HalPart => ({
          status: rateUpper(finding.index, hal),
          triggeringMeasurement: measurementId,
          faultFrequency: family.factor * among.spectrum.lines.shaftHz,
          halIndex: finding.index,
          numberOfHarmonicsUsed: finding.compared.length,
          rpmFactor: family.factor,
        }),
      ),
    ),
  );
