import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Hal } from '../../../threshold/hal';
import type { DefectOrders } from '../bearings/defect-orders';
import { halConstants } from './hal-constants';

/** Harmonics of one frequency that a HAL looks for. */
export interface Family {
  /** What it is called where it explains the lines of another: `BPFO of SKF 6205`, `12x`. */
  readonly name: string;
  /** Its frequency in multiples of the shaft's speed. */
  readonly factor: number;
  /** Whether it may slip, or is a multiple of the shaft. */
  readonly slips: boolean;
  /** What it is looked for at, in multiples of its frequency: a ball strikes twice a turn, once either ring. */
  readonly strikes: ReadonlyArray<number>;
  /** Distance of its sidebands in multiples of the shaft's speed; 0 for none. */
  readonly modulation: number;
}

/** A fault of a bearing. What carries it modulates it: the inner ring turns with the shaft, the balls with the cage. */
const faultFamily = (fault: keyof DefectOrders, orders: DefectOrders, bearing: string): Family => ({
  name: `${fault.toUpperCase()} of ${bearing}`,
  factor: orders[fault],
  slips: true,
  strikes: fault === 'bsf' ? [1, 2] : [1],
  modulation: { bpfo: 0, ftf: 0, bpfi: 1, bsf: orders.ftf }[fault],
});

/** A multiple of the shaft. Whole ones and their halves and thirds turn with it, others belong to belts and slip. */
const multipleFamily = (factor: number): Family => ({
  name: `${Number(factor.toPrecision(4))}x`,
  factor,
  slips: !Number.isInteger(Number((factor * 6).toPrecision(12))),
  strikes: [1],
  modulation: 0,
});

/** The whole number that a slipping family coincides with: none of its lines can be told from those of the shaft. */
export const coincidenceOf = ({ factor, slips }: Family): number | undefined => {
  const whole = Math.max(Math.round(factor), 1);
  return slips && Math.abs(factor - whole) < halConstants.onShaft * whole ? whole : undefined;
};

/** Whether one cannot be told from the other. */
export const isSame = (one: Family, other: Family): boolean =>
  Math.abs(one.factor / other.factor - 1) < halConstants.same;

/** Finds the orders of a HAL's bearing. */
export type FindOrders = (bearing: NonNullable<Hal['bearing']>) => DefectOrders | undefined;

/** The families that a HAL looks for, or why it looks for none. GLOBAL looks for every fault of its bearing. */
export const familiesOf = (
  { label, halAlarmType, bearing }: Hal,
  findOrders: FindOrders,
): E.Either<string, ReadonlyArray<Family>> => {
  if (halAlarmType === 'GLOBAL' && bearing === undefined) return E.right([multipleFamily(1)]);
  const faultsOf = (faults: ReadonlyArray<keyof DefectOrders>): E.Either<string, ReadonlyArray<Family>> => {
    if (bearing === undefined) return E.left(`the label names ${faults.join().toUpperCase()}, but no bearing is given`);
    const orders = findOrders(bearing);
    const name = `${bearing.manufacturer} ${bearing.modelNumber}`;
    return orders === undefined
      ? E.left(`unknown bearing ${name}`)
      : E.right(faults.map((fault) => faultFamily(fault, orders, name)));
  };
  if (halAlarmType === 'GLOBAL') return faultsOf(['ftf', 'bsf', 'bpfo', 'bpfi']);
  return pipe(
    frequencyOfLabel(label),
    E.chain((named) => (named._tag === 'multiple' ? E.right([multipleFamily(named.factor)]) : faultsOf([named.fault]))),
  );
};

/** What a HAL's label names: a fault of its bearing, or a multiple of the shaft's speed. */
type LabelledFrequency =
  | { readonly _tag: 'fault'; readonly fault: keyof DefectOrders }
  | { readonly _tag: 'multiple'; readonly factor: number };

const faults = ['bpfo', 'bpfi', 'bsf', 'ftf'] as const satisfies ReadonlyArray<keyof DefectOrders>;
/** Words stand free: no letter or digit before or after. */
const faultWords = faults.map((fault) => ({
  fault,
  word: new RegExp(String.raw`(?<![\p{L}\p{N}])${fault}(?![\p{L}\p{N}])`, 'iu'),
}));

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
  const named = faultWords.filter(({ word }) => word.test(text)).map(({ fault }) => fault);
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

const valueOf = (number: string): number => {
  const [, whole = '0', over, under] = /^(?:(\d+)\s+)?(\d+)\s*\/\s*(\d+)$/u.exec(number) ?? [];
  return over === undefined ? Number(number.replace(',', '.')) : Number(whole) + Number(over) / Number(under);
};
