import { nameKey, designationKeys } from './designation';
import type { DefectOrders } from './defect-orders';
import type { ResolvedBearing } from './resolved-bearing';

/** Defect orders by the keys of manufacturer and designation: a look-up takes as long in many bearings as in few. */
export type BearingIndex = Readonly<Record<string, DefectOrders>>;

/** The index of `bearings`; of two with one name the later. */
export const indexBearings = (bearings: ReadonlyArray<ResolvedBearing>): BearingIndex =>
  Object.fromEntries(
    bearings.map(({ manufacturer, modelNumber, orders }) => [
      keyOf(nameKey(manufacturer), nameKey(modelNumber)),
      orders,
    ]),
  );

/**
 * The orders of the bearing that `manufacturer` and `modelNumber` name, or undefined: none is ever guessed.
 *
 * The manufacturer must be the same, for the inside of one designation differs between manufacturers. Just that
 * designation goes before one that it is a variant of (docs/bearings.md, "Matching").
 */
export const findBearing = (
  index: BearingIndex,
  manufacturer: string,
  modelNumber: string,
): DefectOrders | undefined => {
  const maker = nameKey(manufacturer);
  const found = designationKeys(modelNumber)
    .map((designation) => keyOf(maker, designation))
    .find((key) => Object.hasOwn(index, key));
  return found === undefined ? undefined : index[found];
};

const keyOf = (maker: string, designation: string): string => `${maker} ${designation}`;
