import * as E from 'fp-ts/Either';
import type { DefectOrders } from '../bearings/defect-orders';

/** What a HAL's label names: a fault of its bearing, or a multiple of the shaft's speed. */
type LabelledFrequency =
  | { readonly _tag: 'fault'; readonly fault: keyof DefectOrders }
  | { readonly _tag: 'multiple'; readonly factor: number };

const faults = ['bpfo', 'bpfi', 'bsf', 'ftf'] as const satisfies ReadonlyArray<keyof DefectOrders>;

const vulgarFractions: ReadonlyArray<readonly [RegExp, string]> = [
  [/½/gu, ' 1/2'],
  [/⅓/gu, ' 1/3'],
  [/⅔/gu, ' 2/3'],
  [/¼/gu, ' 1/4'],
  [/¾/gu, ' 3/4'],
];

/** `1 1/2`, `1/2`, `0.5`, `0,5`, `2`. */
const NUMBER = String.raw`(?:(?:\d+\s+)?\d+\s*/\s*\d+|\d*[.,]\d+|\d+)`;
/** No number is read from the middle of a word or of another number. */
const ALONE = String.raw`(?<![\p{L}\p{N}.,/]|\d\s*/\s*)`;
const TIMES = String.raw`\s*[x×]`;

const MULTIPLE = new RegExp(String.raw`${ALONE}(${NUMBER})${TIMES}(?!\d)(?=([^,;:()]*))`, 'giu');
const TEETH = new RegExp(String.raw`${ALONE}(\d+)[\s-]*(?:TOOTH|TEETH)(?![\p{L}\p{N}])`, 'giu');
const RANGE = new RegExp(String.raw`${NUMBER}(?:${TIMES})?\s*(?:[-–—~…]|\.{2,}|to)\s*${NUMBER}${TIMES}`, 'iu');
const SIGN = new RegExp(String.raw`(?<![\p{L}\p{N}])[-−–+±]${NUMBER}${TIMES}`, 'iu');
/** Frequencies that are not the shaft's: their initials anywhere, words after `x`, a word without a blank after `x`. */
const FOREIGN = /(?<![\p{L}\p{N}])(?:LF|FL|BPF|VPF|GMF|TMF|PPF|line\s*freq\p{L}*|mains)(?![\p{L}\p{N}])/iu;
const FOREIGN_AFTER =
  /^(?!RPM)\p{L}|(?<!\p{L})(?:line|supply|belt|slip|pole|gear|blade|vane|.?mesh|\p{L}*freq|hz|cpm)/iu;

/** The frequency that `label` names, or why it names none; never one that is only near. Source: docs/hal.md, "Labels". */
export const frequencyOfLabel = (label: string): E.Either<string, LabelledFrequency> => {
  const text = vulgarFractions.reduce((all, [sign, fraction]) => all.replace(sign, fraction), label);
  const multiples = [...text.matchAll(MULTIPLE)].map(([, number = '', after = '']) => ({
    factor: valueOf(number),
    after,
  }));
  const teeth = [...text.matchAll(TEETH)].map(([, number]) => Number(number));
  const named = faults.filter((fault) => wordIn(text, fault));
  const factors = [...new Set([...multiples.map(({ factor }) => factor), ...teeth])];
  if (RANGE.test(text)) return E.left('the label names a range, not one multiple');
  if (SIGN.test(text)) return E.left('the label names a multiple with a sign');
  const ofAnother = multiples.some(({ after }) => FOREIGN_AFTER.test(after));
  if (FOREIGN.test(text) || ofAnother || !named.every((fault) => factors.every((factor) => isFault(fault, factor))))
    return E.left('the label names a frequency that is not of the shaft');
  const [fault, otherFault] = named;
  const [factor, otherFactor] = factors;
  if (otherFault !== undefined || (fault === undefined && otherFactor !== undefined))
    return E.left('the label names several frequencies');
  if (fault !== undefined) return E.right({ _tag: 'fault', fault });
  return factor !== undefined && factor > 0 && Number.isFinite(factor)
    ? E.right({ _tag: 'multiple', factor })
    : E.left('the label names no frequency');
};

/** Whether `factor` times a fault is the fault itself: balls strike twice a turn, so that 2x BSF is BSF's own. */
const isFault = (fault: keyof DefectOrders, factor: number): boolean =>
  factor === 1 || (fault === 'bsf' && factor === 2);

/** Words stand free: no letter or digit before or after. */
const wordIn = (text: string, word: string): boolean =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])${word}(?![\p{L}\p{N}])`, 'iu').test(text);

const valueOf = (number: string): number => {
  const [, whole = '0', over, under] = /^(?:(\d+)\s+)?(\d+)\s*\/\s*(\d+)$/u.exec(number) ?? [];
  return over === undefined ? Number(number.replace(',', '.')) : Number(whole) + Number(over) / Number(under);
};
