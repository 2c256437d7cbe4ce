import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Hal } from '../../../threshold/hal';
import type { DefectOrders } from '../bearings/bearing';
import { halConstants } from './hal-constants';

const { abs, max, round } = Math;

/** Harmonics of one frequency that a HAL looks for. */
export interface Family {
  /** What it is called where it explains the lines of another: `BPFO of SKF 6205`, `12x`. */
  readonly name: string;
  /** Its frequency in multiples of the shaft's speed. */
  readonly factor: number;
  /** Whether it may slip, or is a multiple of the shaft. */
  readonly slips: boolean;
  /** What it is looked for at, in multiples of its frequency: a ball may strike twice a turn, once either ring. */
  readonly strikes: number;
  /** Distance of its sidebands in multiples of the shaft's speed; 0 for none. */
  readonly modulation: number;
}

/** A fault of a bearing. What carries it modulates it: the inner ring turns with the shaft, the balls with the cage. */
const faultFamilies = (fault: keyof DefectOrders, orders: DefectOrders, bearing: string): ReadonlyArray<Family> =>
  (fault === 'bsf' ? [1, 2] : [1])
    .map((strikes) => ({
      name: `${fault.toUpperCase()} of ${bearing}`,
      factor: orders[fault],
      slips: true,
      strikes,
      modulation: { bpfo: 0, ftf: 0, bpfi: 1, bsf: orders.ftf }[fault],
    }))
    // Where twice the frequency coincides with the shaft, it must not stand in for the frequency itself.
    .filter((family) => family.strikes === 1 || coincidenceOf(family) === undefined);

/** A multiple of the shaft. Whole ones, halves, thirds and sixths turn with it; others belong to belts and slip. */
const multipleFamily = (factor: number): Family => ({
  name: `${Number(factor.toPrecision(4))}x`,
  factor,
  slips: !Number.isInteger(Number((factor * 6).toPrecision(12))),
  strikes: 1,
  modulation: 0,
});

/** Where it is looked for, in the unit of `shaft`. */
export const fundamentalOf = ({ factor, strikes }: Family, shaft: number): number => factor * strikes * shaft;

/** The whole number that a slipping family coincides with: none of its lines can be told from those of the shaft. */
export const coincidenceOf = (family: Family): number | undefined => {
  const order = fundamentalOf(family, 1);
  const whole = max(round(order), 1);
  return family.slips && abs(order - whole) < halConstants.onShaft * whole ? whole : undefined;
};

/** Whether one cannot be told from the other. */
export const isSame = (one: Family, other: Family): boolean =>
  abs(fundamentalOf(one, 1) / fundamentalOf(other, 1) - 1) < halConstants.same;

/** How far its sidebands lie from a harmonic, in multiples of the shaft's speed. */
export const sidesOf = ({ modulation }: Family): ReadonlyArray<number> =>
  modulation === 0 ? [] : [-2, -1, 1, 2].map((times) => times * modulation);

/** Finds the orders of a HAL's bearing. */
export type FindOrders = (bearing: NonNullable<Hal['bearing']>) => DefectOrders | undefined;

/** The families that a HAL looks for, or why it looks for none. GLOBAL looks for every fault of its bearing, else for the shaft. */
export const familiesOf = (
  { label, halAlarmType, bearing }: Hal,
  findOrders: FindOrders,
): E.Either<string, ReadonlyArray<Family>> =>
  pipe(
    halAlarmType === 'GLOBAL' ? E.right(bearing === undefined ? 1 : faults) : frequencyOfLabel(label),
    E.chain((named) => {
      if (typeof named === 'number') return E.right([multipleFamily(named)]);
      if (bearing === undefined)
        return E.left(`the label names ${named.join().toUpperCase()}, but no bearing is given`);
      const orders = findOrders(bearing);
      const name = `${bearing.manufacturer} ${bearing.modelNumber}`;
      return orders === undefined
        ? E.left(`unknown bearing ${name}`)
        : E.right(named.flatMap((fault) => faultFamilies(fault, orders, name)));
    }),
  );

const faults: ReadonlyArray<keyof DefectOrders> = ['ftf', 'bsf', 'bpfo', 'bpfi'];
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u;

/** `1 1/2`, `1/2`, `0.5`, `0,5`, `2`. */
const NUMBER = String.raw`(?:(?:\d+\s+)?\d+\s*/\s*\d+|\d*[.,]\d+|\d+)`;
/** No number is read from the middle of a word or of another number. Digits are sought first: to look behind costs more. */
const ALONE = String.raw`(?=[\d.,])(?<![\p{L}\p{N}.,/]|\d\s*/\s*)`;
const TIMES = String.raw`\s*[x×]`;

// Each looks at a character a few times at most, however the label is made: it is a caller's.
const MULTIPLE = new RegExp(String.raw`${ALONE}(${NUMBER})${TIMES}(?!\d)`, 'giu');
const TEETH = new RegExp(String.raw`${ALONE}(\d+)[\s-]*(?:TOOTH|TEETH)(?![\p{L}\p{N}])`, 'giu');
const RANGE = new RegExp(
  String.raw`(?=[\d.,])(?<!\d)${NUMBER}(?:${TIMES})?\s*(?:[-–—~…]|\.{2,}|to)\s*${NUMBER}${TIMES}`,
  'iu',
);
const SIGN = new RegExp(String.raw`(?<![\p{L}\p{N}])[-−–+±]${NUMBER}${TIMES}`, 'iu');
/** Frequencies that are not the shaft's: their initials anywhere, words after `x`, a word without a blank after `x`. */
const FOREIGN = /(?<![\p{L}\p{N}])(?:LF|FL|BPF|VPF|GMF|TMF|PPF|line\s*freq\p{L}*|mains)(?![\p{L}\p{N}])/iu;
const FOREIGN_WORD = /(?<!\p{L})(?:line|supply|belt|slip|pole|gear|blade|vane|.?mesh|\p{L}*freq|hz|cpm)/iu;
const FOREIGN_ENDING = /^(?!RPM)\p{L}/iu;
/** Up to the end of a clause, or of the label. */
const CLAUSE = /[^,;:()]*/uy;

/**
 * The fault of a bearing or the multiple of the shaft's speed that `label` names, or why it names none; never one that is
 * only near.
 *
 * Source: docs/hal.md, "Labels".
 */
export const frequencyOfLabel = (label: string): E.Either<string, ReadonlyArray<keyof DefectOrders> | number> => {
  const text = label.replace(/[½⅓⅔¼¾]/gu, (sign) => ` ${sign.normalize('NFKD').replace('\u2044', '/')}`);
  const multiples = [...text.matchAll(MULTIPLE)];
  const teeth = [...text.matchAll(TEETH)];
  const words = text.toLowerCase().split(BETWEEN_WORDS);
  const named = faults.filter((fault) => words.includes(fault));
  const factors = [
    ...new Set([...multiples.map(([, number = '']) => valueOf(number)), ...teeth.map(([, number]) => Number(number))]),
  ];
  // Balls strike twice a turn, so that 2x BSF is BSF's own.
  const isFault = (factor: number): boolean => factor === 1 || (factor === 2 && named.join() === 'bsf');
  if (RANGE.test(text)) return E.left('the label names a range, not one multiple');
  if (SIGN.test(text)) return E.left('the label names a multiple with a sign');
  if (
    FOREIGN.test(text) ||
    isForeign(
      text,
      multiples.map(({ 0: multiple, index }) => index + multiple.length),
    ) ||
    (named.length > 0 && !factors.every(isFault))
  )
    return E.left('the label names a frequency that is not of the shaft');
  const [factor = 0] = factors;
  if (named.length > 1 || (named.length === 0 && factors.length > 1))
    return E.left('the label names several frequencies');
  if (named.length === 1) return E.right(named);
  return factor > 0 && Number.isFinite(factor) ? E.right(factor) : E.left('the label names no frequency');
};

/** Whether one of the multiples, by where they end in `text`, is of something else; what follows in a clause is looked at once. */
const isForeign = (text: string, ends: ReadonlyArray<number>): boolean => {
  let seenTo = -1;
  return ends.some((end) => {
    if (FOREIGN_ENDING.test(text.slice(end, end + 3))) return true;
    if (end <= seenTo) return false;
    CLAUSE.lastIndex = end;
    CLAUSE.test(text); // it always matches, and ends at its last index
    seenTo = CLAUSE.lastIndex;
    return FOREIGN_WORD.test(text.slice(end, seenTo));
  });
};

const valueOf = (number: string): number => {
  const [, whole = '0', over, under] = /^(?:(\d+)\s+)?(\d+)\s*\/\s*(\d+)$/u.exec(number) ?? [];
  return over === undefined ? Number(number.replace(',', '.')) : Number(whole) + Number(over) / Number(under);
};
