import type { Threshold } from '../../../threshold/threshold';
import type { BearingName, DefectOrders, ResolvedBearing, SoughtBearing } from './bearing';
import { knownBearingRows } from './known-bearings';

/** Defect orders by the keys of manufacturer and designation: a look-up takes as long in many bearings as in few. */
export type BearingIndex = Readonly<Record<string, DefectOrders>>;

/** The index of `bearings`; of two with one name the later. */
export const indexBearings = (bearings: ReadonlyArray<ResolvedBearing>): BearingIndex =>
  Object.fromEntries(bearings.map((bearing) => [keyOf(bearing), bearing.orders]));

/**
 * The orders of the bearing that `manufacturer` and `modelNumber` name, or undefined: none is ever guessed. The manufacturer must be
 * the same, and just that designation goes before one that it is a variant of (docs/bearings.md, "How a name is matched").
 */
export const findBearing = (
  index: BearingIndex,
  manufacturer: string,
  modelNumber: string,
): DefectOrders | undefined => {
  const maker = wordKey(manufacturer);
  const found = designationKeys(modelNumber)
    .map((designation) => `${maker} ${designation}`)
    .find((key) => Object.hasOwn(index, key));
  return found === undefined ? undefined : index[found];
};

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

/** The bearings that a threshold names, as they are kept with it: in its own spelling, with the orders that were found. */
export const resolveBearings = (
  threshold: Threshold,
  own: ReadonlyArray<ResolvedBearing>,
): ReadonlyArray<ResolvedBearing> => seekBearings(bearingNamesOf(threshold), indexBearings(own)).filter(isResolved);

export const isNamedLike =
  ({ manufacturer, modelNumber }: BearingName) =>
  (other: BearingName): boolean =>
    other.manufacturer === manufacturer && other.modelNumber === modelNumber;

export const isResolved = (bearing: SoughtBearing): bearing is ResolvedBearing => bearing.orders !== undefined;

/**
 * The suffixes that leave the inside of a bearing as it is: seals and shields, cages, clearance, in the spellings of
 * several manufacturers. A suffix for another inside (such as E, EC, A, B, W33, K) is none of these.
 */
const HARMLESS =
  /^(?:2?RS(?:1|2|H2?|L|J|R)?|2?RZ|2?ZR?|ZZ|DDU?|VV|LL[BHU]|L[BHU]|2?NSE?|UU|PP|C[1-5N]|CM|JEM|J|M[AB]?|TN[HP]?9?|TVP?2?)+$/u;

/** No suffix is longer; nothing longer is looked at, so that no name costs more to read than another. */
const LONGEST_SUFFIX = 8;
const MOST_SUFFIXES = 6;

/** Suffixes may stick to a designation when they begin with a letter: 6203ZZ, not 62032RS, which may be another bearing. */
const LETTER = /^[A-Z]/u;

const partsOf = (text: string): ReadonlyArray<string> =>
  text
    .toUpperCase()
    .split(/[\s\-/._]+/u)
    .filter((part) => part !== '');

/** What a bearing is known by: case, blanks, hyphens, slashes, dots and underscores do not count. */
export const keyOf = ({ manufacturer, modelNumber }: BearingName): string =>
  `${wordKey(manufacturer)} ${wordKey(modelNumber)}`;

const wordKey = (name: string): string => partsOf(name).join('');

/** The keys of the designations that `modelNumber` may be a variant of: itself first, then ever more suffixes left out. */
const designationKeys = (modelNumber: string): ReadonlyArray<string> => {
  const parts = partsOf(modelNumber);
  const suffixes = parts.slice(1).findLastIndex((part) => !isHarmless(part)) + 2;
  const fewest = Math.max(suffixes, parts.length - MOST_SUFFIXES);
  const heads = Array.from({ length: parts.length - fewest + 1 }, (_, left) =>
    parts.slice(0, parts.length - left).join(''),
  );
  return [parts.join(''), ...heads.flatMap((head) => [head, ...withoutStuck(head)])];
};

const withoutStuck = (head: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(Math.min(LONGEST_SUFFIX, head.length - 1), 0) }, (_, index) => index + 1)
    .filter((length) => LETTER.test(head.slice(-length)) && isHarmless(head.slice(-length)))
    .map((length) => head.slice(0, -length));

const isHarmless = (part: string): boolean => part.length <= LONGEST_SUFFIX && HARMLESS.test(part);

export const knownBearings: BearingIndex = indexBearings(knownBearingRows);
