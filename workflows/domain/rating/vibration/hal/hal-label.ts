import * as E from 'fp-ts/Either';
import type { DefectOrders } from '../bearings/bearing';

/** The faults of a bearing that a label can name. */
export const faults: ReadonlyArray<keyof DefectOrders> = ['ftf', 'bsf', 'bpfo', 'bpfi'];
const FRACTION = /[½⅓⅔¼¾]/gu;
/** Most fraction signs of a label that is read. Each sign grows to five characters, which makes a label of many signs costly. */
const MOST_FRACTIONS = 4;
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u;

/** Pattern of a number in a label: `1 1/2`, `1/2`, `0.5`, `0,5`, `2`. */
const NUMBER = String.raw`(?:(?:\d+\s+)?\d+\s*/\s*\d+|\d*[.,]\d+|\d+)`;
/** Stands before a number, which must not begin inside a word or another number. The cheaper look-ahead comes first. */
const ALONE = String.raw`(?=[\d.,])(?<![\p{L}\p{N}.,/]|\d\s*/\s*)`;
const TIMES = String.raw`\s*[x×]`;

// Callers write labels. So that no label is costly, each pattern looks at a character only a few times.
const MULTIPLE = new RegExp(String.raw`${ALONE}(${NUMBER})${TIMES}(?!\d)`, 'giu');
const TEETH = new RegExp(String.raw`${ALONE}(\d+)[\s-]*(?:TOOTH|TEETH)(?![\p{L}\p{N}])`, 'giu');
const RANGE = new RegExp(
  String.raw`(?=[\d.,])(?<!\d)${NUMBER}(?:${TIMES})?\s*(?:[-–—~…]|\.{2,}|to|thru|through|until|bis)\s*(?:${NUMBER}|n)${TIMES}`,
  'iu',
);
const SIGN = new RegExp(String.raw`(?:(?<![\p{L}\p{N}])[-−–+±]|^\s*[-−–+±]\s+)${NUMBER}${TIMES}`, 'iu');
/** Patterns of frequencies other than the shaft's: initials, words beside a multiple, words after it, letters after its `x`. */
const FOREIGN = /(?<![\p{L}\p{N}])(?:LF|FL|BPF|VPF|GMF|TMF|PPF|line\s*freq\p{L}*|mains)(?![\p{L}\p{N}])/iu;
const FOREIGN_WORD = new RegExp(
  String.raw`(?<!\p{L})(?:supply|belt|slip|pole|gear|blade|vane|electrical|chain|pass(?!enger)|.?mesh|hz|cpm|(?:per|pro)(?!\p{L})|schlupf|polpa|zahn|kette|netz|\p{L}*(?:freq|riemen|schaufel)|line(?=[\s:-]*${NUMBER}${TIMES}))`,
  'iu',
);
const FOREIGN_AFTER = /(?<!\p{L})line/iu;
const FOREIGN_ENDING = /^(?:(?!RPM|TS|RS|FN)\p{L}|\/[dhmt])/iu;
/** A shaft on the other side of a gear, or one with a number from 2. The spectrum does not state the speed of such a shaft. */
const OTHER_SHAFT =
  /(?:output|intermediate|counter|lay|jack|secondary|second|2nd)[\s-]?shaft|(?:abtriebs|zwischen|vorgelege|neben)welle|(?:shaft|welle)[\s#]*(?:[2-9]|[1-9]\d)(?!\d)|rpm[\s#]*[2-9](?!\d)|[2-9]\.?\s*(?:shaft|welle)/iu;
/** Phrases in which a word of `FOREIGN_WORD` names a part of the machine, or the shaft's own frequency. They are ignored. */
const PLACES =
  /gear\s?box|(?:gear|vane|blade) pump|(?:belt|gear|supply) (?:side|end)|riemenseite|supply (?:fan|air)|belt.(?:driven|conveyor)|slip ring|(?:gear|geared|electrical) motor|(?<!\d)\d{1,2}[\s-]?pole(?! pass)|(?:shaft|rotational|rotation|running) freq\p{L}*|drehfrequenz/giu;
/** A multiple (`2x`) or a number of teeth. */
const COUNTED = String.raw`${NUMBER}(?:${TIMES}|[\s-]*(?:TOOTH|TEETH))`;
/**
 * `LIST` finds a plain number in a list with multiples or teeth (`12 and 31 teeth`). `ANY_MULTIPLE` and `ANY_TEETH` find all
 * multiples and teeth, also those that `MULTIPLE` and `TEETH` do not read.
 */
const LIST = new RegExp(
  String.raw`(?:${ALONE}${NUMBER}\s*(?:[&+]|and|or|und|oder)|(?:^|\d,)\s*\d+,)\s+${COUNTED}|^\s*\d+\s(?:\d+\s)*(?!\d{3}\D)\d+${TIMES}|\d${TIMES}\s+\d+\s*V`,
  'iu',
);
/** Finds a mixed number behind other text. Its first number may belong to the text, as in `Fan 2 1/2x`. */
const MIXED = new RegExp(String.raw`[^\s\d]\s*\d+\s+\d+\s*/\s*\d+${TIMES}`, 'iu');
const ANY_MULTIPLE = /\d\s*[x×](?!\d)/giu;
const ANY_TEETH = /\d[\s-]*(?:TOOTH|TEETH)(?![\p{L}\p{N}])/giu;
/**
 * `FAULT` is the name of a bearing's fault. `OF_FAULT` finds it right behind a multiple, which is then a multiple of the fault
 * and not of the shaft. `SCALED_FAULT` finds a fault that is multiplied or divided in another way.
 */
const FAULT = String.raw`(?:BPFO|BPFI|BSF|FTF)(?![\p{L}\p{N}])`;
const OF_FAULT = new RegExp(String.raw`^\s*${FAULT}`, 'iu');
const SCALED_FAULT = new RegExp(
  String.raw`(?:%|√|half|double|twice|halbe)\s*${FAULT}|${FAULT}\s+(?:half|double|twice|\d+\s*/\s*\d)|\d\s*[*/·⋅×]\s*${FAULT}|(?:\d\s*/\s*|\d[.,])\d+\s*${FAULT}|(?<![\p{L}\p{N}])${FAULT}\s*[*/x×^·⋅]\s*\d`,
  'iu',
);
/** Finds numbers and faults that are part of a calculation, or of a number that is written in groups of digits. */
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
    String.raw`(?<![\p{L}\p{N}])${FAULT}\s*(?:[+±]|plus|minus|[-−–]\s*(?:RPM|f[nr]|\d))`,
  ].join('|'),
  'iu',
);

/**
 * The fault of a bearing or the multiple of the shaft's speed that `label` names, or why it names none. A name that is only
 * similar does not count.
 *
 * Source: docs/hal.md, "Labels".
 */
export const frequencyOfLabel = (label: string): E.Either<string, ReadonlyArray<keyof DefectOrders> | number> => {
  if ([...label.matchAll(FRACTION)].length > MOST_FRACTIONS) return E.left('the label names several frequencies');
  const text = label.replace(FRACTION, (sign) => ` ${sign.normalize('NFKD')} `).replace(/[\u2044\u2215÷]/gu, '/');
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

/** Number of characters behind a multiple in which the name of a fault is looked for. */
const LONGEST_FAULT = 8;

/** Whether a label with faults has no teeth, and no multiple but `1x` or `2x BSF` (BSF itself: a ball strikes twice a turn). */
const areFaults = (named: ReadonlyArray<string>, factors: ReadonlyArray<number>, teeth: number): boolean =>
  teeth === 0 && factors.every((factor) => factor === 1 || (factor === 2 && named.join() === 'bsf'));

/** Whether a label names a frequency other than the shaft's or a fault's. A gear's teeth count as multiples of the shaft. */
const isForeign = (text: string, multiples: ReadonlyArray<RegExpExecArray>, teeth: number): boolean => {
  const [first] = multiples;
  if (FOREIGN.test(text) || SCALED_FAULT.test(text) || OTHER_SHAFT.test(text)) return true;
  if (first === undefined || teeth > 0) return false;
  return (
    multiples.some(({ 0: multiple, index }) =>
      FOREIGN_ENDING.test(text.slice(index + multiple.length, index + multiple.length + 3)),
    ) ||
    FOREIGN_WORD.test(text.replace(PLACES, ' ')) ||
    FOREIGN_AFTER.test(text.slice(first.index))
  );
};

/** Whether a label has more multiples or teeth than were read, or lists numbers with them: `1x/2x`, `12 and 31 teeth`. */
const areSeveral = (text: string, multiples: number, teeth: number): boolean =>
  (multiples > 0 && [...text.matchAll(ANY_MULTIPLE)].length > multiples) ||
  (teeth > 0 && [...text.matchAll(ANY_TEETH)].length > teeth) ||
  LIST.test(text) ||
  MIXED.test(text);

const valueOf = (number: string): number => {
  const [, whole = '0', over, under] = /^(?:(\d+)\s+)?(\d+)\s*\/\s*(\d+)$/u.exec(number) ?? [];
  return over === undefined ? Number(number.replace(',', '.')) : Number(whole) + Number(over) / Number(under);
};
