import type { Threshold } from '../../../threshold/threshold';
import type { BearingName, DefectOrders, ResolvedBearing, SoughtBearing } from './bearing';
import { knownBearingRows } from './known-bearings';

/** Defect orders (fault frequencies per turn of the shaft) by `keyOf` the name, so that a look-up takes no search. */
export type BearingIndex = Readonly<Record<string, DefectOrders>>;

/** Makes the index of `bearings`. Of two bearings with the same name, the later one counts. */
export const indexBearings = (bearings: ReadonlyArray<ResolvedBearing>): BearingIndex =>
  Object.fromEntries(bearings.map((bearing) => [keyOf(bearing), bearing.orders]));

/**
 * Finds the orders of the bearing with this name; undefined if there is no match, because nothing is guessed. The manufacturer
 * must be the same. An exact match of `modelNumber` is preferred to a match without some of its suffixes (docs/bearings.md,
 * "How a name is matched").
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

/** Finds the orders of a bearing: first among the operator's bearings `own`, then in the built-in table. */
export const ordersIn =
  (own: BearingIndex) =>
  ({ manufacturer, modelNumber }: BearingName): DefectOrders | undefined =>
    findBearing(own, manufacturer, modelNumber) ?? findBearing(knownBearings, manufacturer, modelNumber);

/** Adds the orders to those of `names` that are found. `own` are the operator's bearings. */
export const seekBearings = (names: ReadonlyArray<BearingName>, own: BearingIndex): ReadonlyArray<SoughtBearing> =>
  names.map(({ manufacturer, modelNumber }) => {
    const orders = ordersIn(own)({ manufacturer, modelNumber });
    return { manufacturer, modelNumber, ...(orders !== undefined && { orders }) };
  });

/** The bearings that are kept with a threshold: in the threshold's spelling, with orders, without those that were not found. */
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
 * Suffixes of a designation that do not change a bearing's inner geometry: seals and shields, cages, clearance, in the
 * spellings of several manufacturers. Suffixes for another geometry (such as E, EC, A, B, W33, K) are left out.
 */
const HARMLESS =
  /^(?:2?RS(?:1|2|H2?|L|J|R)?|2?RZ|2?ZR?|ZZ|DDU?|VV|LL[BHU]|L[BHU]|2?NSE?|UU|PP|C[1-5N]|CM|JEM|J|M[AB]?|TN[HP]?9?|TVP?2?)+$/u;

/** Longest suffix (characters) and most suffixes that are read, so that no name is costly. No real suffix is longer. */
const LONGEST_SUFFIX = 8;
const MOST_SUFFIXES = 6;

/** A suffix may follow a designation directly if it begins with a letter: 6203ZZ. But 62032RS may be another bearing. */
const LETTER = /^[A-Z]/u;

const partsOf = (text: string): ReadonlyArray<string> =>
  text
    .toUpperCase()
    .split(/[\s\-/._]+/u)
    .filter((part) => part !== '');

/** The key of a bearing's name. Case, blanks, hyphens, slashes, dots and underscores are ignored. */
export const keyOf = ({ manufacturer, modelNumber }: BearingName): string =>
  `${wordKey(manufacturer)} ${wordKey(modelNumber)}`;

const wordKey = (name: string): string => partsOf(name).join('');

/** Keys under which `modelNumber` is looked up: the whole designation first, then with ever more suffixes left out. */
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
