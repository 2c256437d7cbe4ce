import type { Threshold } from '../../../threshold/threshold';
import { findBearing, type BearingIndex } from './bearing-index';
import { knownBearings } from './known-bearings';
import type { BearingName, ResolvedBearing, SoughtBearing } from './resolved-bearing';

/** The bearings that the HALs of a threshold name, each once, in the threshold's own spelling. */
export const bearingNamesOf = ({ halAlarms = [] }: Threshold): ReadonlyArray<BearingName> => {
  const named = halAlarms.flatMap(({ bearing }) => (bearing === undefined ? [] : [bearing]));
  return named.filter((bearing, index) => named.findIndex(isNamedLike(bearing)) === index);
};

/** `names` with the orders of those that are found: first in `own`, the operator's, then in the built-in table. */
export const seekBearings = (names: ReadonlyArray<BearingName>, own: BearingIndex): ReadonlyArray<SoughtBearing> =>
  names.map(({ manufacturer, modelNumber }) => {
    const orders = findBearing(own, manufacturer, modelNumber) ?? findBearing(knownBearings, manufacturer, modelNumber);
    return { manufacturer, modelNumber, ...(orders !== undefined && { orders }) };
  });

/** Whether another bearing has the very name of this one. */
export const isNamedLike =
  ({ manufacturer, modelNumber }: BearingName) =>
  (other: BearingName): boolean =>
    other.manufacturer === manufacturer && other.modelNumber === modelNumber;

export const isResolved = (bearing: SoughtBearing): bearing is ResolvedBearing => bearing.orders !== undefined;
