import type { Threshold } from '../../threshold/threshold';
import { findBearing, type BearingIndex } from './bearing-index';
import { knownBearings } from './known-bearings';
import type { ResolvedBearing } from './resolved-bearing';

/**
 * The bearings that the HALs of a threshold name, each once, as far as they are found: first in `own`, the operator's, then
 * in the built-in table. They carry the threshold's own spelling, by which they are found again.
 */
export const resolveBearings = ({ halAlarms = [] }: Threshold, own: BearingIndex): ReadonlyArray<ResolvedBearing> => {
  const named = halAlarms.flatMap(({ bearing }) => (bearing === undefined ? [] : [bearing]));
  const once = named.filter(
    ({ manufacturer, modelNumber }, index) =>
      named.findIndex((other) => other.manufacturer === manufacturer && other.modelNumber === modelNumber) === index,
  );
  return once.flatMap(({ manufacturer, modelNumber }) => {
    const orders = findBearing(own, manufacturer, modelNumber) ?? findBearing(knownBearings, manufacturer, modelNumber);
    return orders === undefined ? [] : [{ manufacturer, modelNumber, orders }];
  });
};
