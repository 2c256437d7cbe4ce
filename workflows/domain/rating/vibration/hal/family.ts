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
export const multipleFamily = (factor: number): Family => ({
  name: `${Number(factor.toPrecision(4))}x`,
  factor,
  slips: !Number.isInteger(Number((factor * 6).toPrecision(12))),
  strikes: 1,
  modulation: 0,
});

/** Where it is looked for, in the unit of `shaft`. */
export const fundamentalOf = ({ factor, strikes }: Family, shaft: number): number => factor * strikes * shaft;

/** The whole multiple of the shaft that is nearest to a family. */
export const nearestMultiple = (family: Family): number => max(round(fundamentalOf(family, 1)), 1);

/** The whole number that a slipping family coincides with: none of its lines can be told from those of the shaft. */
export const coincidenceOf = (family: Family): number | undefined => {
  const whole = nearestMultiple(family);
  return family.slips && abs(fundamentalOf(family, 1) - whole) < halConstants.onShaft * whole ? whole : undefined;
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
  String.raw`(?=[\d.,])(?<!\d)${NUMBER}(?:${TIMES})?\s*(?:[-–—~…]|\.{2,}|to|thru|through)\s*${NUMBER}${TIMES}`,
  'iu',
);
const SIGN = new RegExp(String.raw`(?:(?<![\p{L}\p{N}])[-−–+±]|^\s*[-−–+±]\s+)${NUMBER}${TIMES}`, 'iu');
/** Frequencies that are not the shaft's: their initials anywhere, words in a label of multiples, a word without a blank after `x`. */
const FOREIGN = /(?<![\p{L}\p{N}])(?:LF|FL|BPF|VPF|GMF|TMF|PPF|line\s*freq\p{L}*|mains)(?![\p{L}\p{N}])/iu;
const FOREIGN_WORD = new RegExp(
  String.raw`(?<!\p{L})(?:supply|belt|slip|pole|gear|blade|vane|electrical|.?mesh|\p{L}*freq|hz|cpm|line(?=[\s:-]*${NUMBER}${TIMES}))`,
  'iu',
);
const FOREIGN_AFTER = /(?<!\p{L})line/iu;
const FOREIGN_ENDING = /^(?!RPM)\p{L}/iu;
/** Such words where they only say at what place of the machine. */
const PLACES =
  /gear\s?box|(?:gear|vane|blade) pump|(?:belt|gear|supply) (?:side|end)|(?<!\d)\d{1,2}[\s-]?pole motor/giu;
/** A multiple, or a number of teeth. */
const COUNTED = String.raw`${NUMBER}(?:${TIMES}|[\s-]*(?:TOOTH|TEETH))`;
/** A number beside a multiple or teeth that is no multiple itself, and all that are, also where they are not read. */
const LIST = new RegExp(String.raw`(?:${ALONE}${NUMBER}\s*(?:[&+]|and|or)|(?:^|\d,)\s*\d+,)\s+${COUNTED}`, 'iu');
const ANY_MULTIPLE = /\d\s*[x×](?!\d)/giu;
const ANY_TEETH = /\d[\s-]*(?:TOOTH|TEETH)(?![\p{L}\p{N}])/giu;
/** What a multiple must stand right before to be the fault's own, and a fault that is multiplied or divided otherwise. */
const FAULT = String.raw`(?:BPFO|BPFI|BSF|FTF)(?![\p{L}\p{N}])`;
const OF_FAULT = new RegExp(String.raw`^\s*${FAULT}`, 'iu');
const SCALED_FAULT = new RegExp(
  String.raw`\d\s*[*/·⋅×]\s*${FAULT}|(?:\d\s*/\s*|\d[.,])\d+\s*${FAULT}|(?<![\p{L}\p{N}])${FAULT}\s*[*/x×^·⋅]\s*\d`,
  'iu',
);
/** Numbers and faults that are part of a calculation, or of a number that is written in groups of digits. */
const CALCULATED = new RegExp(
  [
    String.raw`[*^√±+&]\s*${COUNTED}`,
    String.raw`\d\s*[·⋅]\s*${COUNTED}`,
    String.raw`\d['’:;]${COUNTED}`,
    String.raw`\d\s*/\s*\d+\s+${COUNTED}`,
    String.raw`\d\s*[-–]\s*\d+[\s-]*(?:TOOTH|TEETH)`,
    String.raw`\d\s\d{3}${TIMES}`,
    String.raw`[1-9]\d{0,2},0{3}${TIMES}`,
    String.raw`(?:\d${TIMES}\s*[*/^·⋅]|(?:TOOTH|TEETH)\s*[*/x×^·⋅])\s*\d`,
    String.raw`(?<![\p{L}\p{N}])${FAULT}\s*(?:[+±]|[-−–]\s*(?:RPM|\d))`,
  ].join('|'),
  'iu',
);

/**
 * The fault of a bearing or the multiple of the shaft's speed that `label` names, or why it names none; never one that is
 * only near.
 *
 * Source: docs/hal.md, "Labels".
 */
export const frequencyOfLabel = (label: string): E.Either<string, ReadonlyArray<keyof DefectOrders> | number> => {
  const text = label.replace(/[½⅓⅔¼¾]/gu, (sign) => ` ${sign.normalize('NFKD')} `).replace(/[\u2044\u2215÷]/gu, '/');
  const multiples = [...text.matchAll(MULTIPLE)];
  const teeth = [...text.matchAll(TEETH)];
  const words = text.toLowerCase().split(BETWEEN_WORDS);
  const named = faults.filter((fault) => words.includes(fault));
  const factors = [
    ...new Set([...multiples.map(([, number = '']) => valueOf(number)), ...teeth.map(([, number]) => Number(number))]),
  ];
  const after = multiples.map(({ 0: multiple, index }) => text.slice(index + multiple.length).slice(0, LONGEST_FAULT));
  if (RANGE.test(text)) return E.left('the label names a range, not one multiple');
  if (SIGN.test(text)) return E.left('the label names a multiple with a sign');
  if (isForeign(text, multiples, teeth.length) || (named.length > 0 && !areFaults(named, factors, teeth.length)))
    return E.left('the label names a frequency that is not of the shaft');
  const [factor = 0] = factors;
  if (
    named.length > 1 ||
    (named.length === 0 && factors.length > 1) ||
    (named.length === 1 && !after.every((rest) => OF_FAULT.test(rest))) ||
    areSeveral(text, multiples.length, teeth.length)
  )
    return E.left('the label names several frequencies');
  if (CALCULATED.test(text)) return E.left('the label names a calculation, not one frequency');
  if (named.length === 1) return E.right(named);
  return factor > 0 && Number.isFinite(factor) ? E.right(factor) : E.left('the label names no frequency');
};

/** As far as a fault is sought behind a multiple. */
const LONGEST_FAULT = 8;

/** Whether a label of faults names only their own multiples: balls strike twice a turn, so that 2x BSF is BSF's own. */
const areFaults = (named: ReadonlyArray<string>, factors: ReadonlyArray<number>, teeth: number): boolean =>
  teeth === 0 && factors.every((factor) => factor === 1 || (factor === 2 && named.join() === 'bsf'));

/** Whether a multiple or a fault is of something else than the shaft. A gear's teeth are the shaft's. */
const isForeign = (text: string, multiples: ReadonlyArray<RegExpExecArray>, teeth: number): boolean => {
  const [first] = multiples;
  if (FOREIGN.test(text) || SCALED_FAULT.test(text)) return true;
  if (first === undefined || teeth > 0) return false;
  return (
    multiples.some(({ 0: multiple, index }) =>
      FOREIGN_ENDING.test(text.slice(index + multiple.length, index + multiple.length + 3)),
    ) ||
    FOREIGN_WORD.test(text.replace(PLACES, ' ')) ||
    FOREIGN_AFTER.test(text.slice(first.index))
  );
};

/** Whether more stands in a label than the multiples and teeth that were read: `1x/2x`, `12 and 31 teeth`. */
const areSeveral = (text: string, multiples: number, teeth: number): boolean =>
  (multiples > 0 && [...text.matchAll(ANY_MULTIPLE)].length > multiples) ||
  (teeth > 0 && [...text.matchAll(ANY_TEETH)].length > teeth) ||
  LIST.test(text);

const valueOf = (number: string): number => {
  const [, whole = '0', over, under] = /^(?:(\d+)\s+)?(\d+)\s*\/\s*(\d+)$/u.exec(number) ?? [];
  return over === undefined ? Number(number.replace(',', '.')) : Number(whole) + Number(over) / Number(under);
};
