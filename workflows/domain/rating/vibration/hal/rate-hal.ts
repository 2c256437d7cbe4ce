import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { DESCRIPTION_LENGTH } from '../../../limits';
import { notRatable, type HalPart } from '../../../alarm/parts';
import { shortened } from '../../../codecs/shortened';
import { ALERT, DANGER, GOOD, type Status } from '../../../alarm/status';
import type { Hal } from '../../../threshold/hal';
import type { DefectOrders } from '../bearings/defect-orders';
import { frequencyOfLabel } from './frequency-of-label';
import type { SpectrumHarmonics, Found } from './spectrum-harmonics';

/** Finds the orders of a HAL's bearing. */
export type FindOrders = (bearing: NonNullable<Hal['bearing']>) => DefectOrders | undefined;

/**
 * A HAL, rated by how far the harmonics of its frequency stand out.
 *
 * Errors:   NO_DATA and an `errorDescription`: one HAL fails alone.
 * Source:   docs/hal.md.
 */
export const rateHal = (
  hal: Hal,
  findOrders: FindOrders,
  harmonics: E.Either<string, SpectrumHarmonics>,
  measurementId: string,
): HalPart =>
  pipe(
    findHarmonics(hal, findOrders, harmonics),
    E.match(
      (why): HalPart => ({ ...notRatable(measurementId), errorDescription: shortened(why, DESCRIPTION_LENGTH) }),
      ({ factor, hz, prominence: { index, harmonics: found } }): HalPart => ({
        status: statusOf(index, hal),
        triggeringMeasurement: measurementId,
        faultFrequency: hz,
        halIndex: index,
        numberOfHarmonicsUsed: found.length,
        rpmFactor: factor,
      }),
    ),
  );

/** The harmonics that a HAL looks for, or why there are none. */
export const findHarmonics = (
  hal: Hal,
  findOrders: FindOrders,
  harmonics: E.Either<string, SpectrumHarmonics>,
): E.Either<string, Found> =>
  pipe(
    wantedBy(hal, findOrders),
    E.chain((wanted) =>
      pipe(
        harmonics,
        E.chain((of) => search(of, wanted)),
      ),
    ),
  );

type Wanted =
  | { readonly _tag: 'multiple'; readonly factor: number }
  | { readonly _tag: 'fault'; readonly fault: keyof DefectOrders; readonly orders: DefectOrders }
  | { readonly _tag: 'anyFault'; readonly orders: DefectOrders };

/** What a HAL asks of a spectrum, or why it asks nothing that could be found. */
const wantedBy = ({ label, halAlarmType, bearing }: Hal, findOrders: FindOrders): E.Either<string, Wanted> => {
  const orders = bearing === undefined ? undefined : findOrders(bearing);
  const unknown = bearing !== undefined && `unknown bearing ${bearing.manufacturer} ${bearing.modelNumber}`;
  if (halAlarmType === 'GLOBAL') {
    if (orders !== undefined) return E.right({ _tag: 'anyFault', orders });
    return unknown === false ? E.right({ _tag: 'multiple', factor: 1 }) : E.left(unknown);
  }
  const named = frequencyOfLabel(label);
  if (named === undefined) return E.left('the label names no frequency');
  if (named._tag === 'multiple') return E.right(named);
  if (orders !== undefined) return E.right({ ...named, orders });
  return E.left(unknown === false ? `the label names ${named.fault.toUpperCase()}, but no bearing is given` : unknown);
};

const search = (harmonics: SpectrumHarmonics, wanted: Wanted): E.Either<string, Found> => {
  switch (wanted._tag) {
    case 'multiple':
      return harmonics.ofShaft(wanted.factor);
    case 'fault':
      return harmonics.ofBearing(wanted.orders)[wanted.fault];
    case 'anyFault':
      return greatest(Object.values(harmonics.ofBearing(wanted.orders)));
  }
};

/** The most prominent fault, or why there is none. */
const greatest = (found: ReadonlyArray<E.Either<string, Found>>): E.Either<string, Found> =>
  found.reduce((one, other) => (indexOf(other) > indexOf(one) ? other : one));

const indexOf = (found: E.Either<string, Found>): number => (E.isLeft(found) ? -1 : found.right.prominence.index);

const statusOf = (index: number, { upperAlert, upperDanger }: Hal): Status => {
  if (upperDanger !== undefined && index >= upperDanger) return DANGER;
  if (upperAlert !== undefined && index >= upperAlert) return ALERT;
  return GOOD;
};
