import type { Threshold } from '../../../threshold/threshold';
import { findBearing, type BearingIndex } from './bearing-lookup';
import type { DefectOrders, BearingName, ResolvedBearing, SoughtBearing } from './bearing';
import { knownBearings } from './known-bearings';

/** The bearings that the HALs of a threshold name, each once, in the threshold's own spelling. */
export const bearingNamesOf = ({ halAlarms = [] }: Threshold): ReadonlyArray<BearingName> => {
  const named = halAlarms.flatMap(({ bearing }) => (bearing === undefined ? [] : [bearing]));
  return named.filter((bearing, index) => named.findIndex(isNamedLike(bearing)) === index);
};

/** Finds the orders of a bearing: first in `own`, then in the built-in table. */
export const ordersIn =
  (own: BearingIndex) =>
  ({ manufacturer, modelNumber }: BearingName): DefectOrders | undefined =>
    findBearing(own, manufacturer, modelNumber) ?? findBearing(knownBearings, manufacturer, modelNumber);

/** `names` with the orders of those that are found, of which `own` are the operator's. */
export const seekBearings = (names: ReadonlyArray<BearingName>, own: BearingIndex): ReadonlyArray<SoughtBearing> =>
  names.map(({ manufacturer, modelNumber }) => {
    const orders = ordersIn(own)({ manufacturer, modelNumber });
    return { manufacturer, modelNumber, ...(orders !== undefined && { orders }) };
  });

export const isNamedLike =
  ({ manufacturer, modelNumber }: BearingName) =>
  (other: BearingName): boolean =>
    other.manufacturer === manufacturer && other.modelNumber === modelNumber;

export const isResolved = (bearing: SoughtBearing): bearing is ResolvedBearing => bearing.orders !== undefined;
