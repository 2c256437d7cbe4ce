import type { Reason } from '../../../codecs';
import type { DefectOrders } from './defect-orders';

/** Sums of published orders may miss the number of elements by this share. */
const SUM_TOLERANCE = 0.001;

/** The cage's order is published with few digits, so what follows from it may be off by this share. */
const CAGE_TOLERANCE = 0.005;

/**
 * What is wrong with published `orders` of a bearing of `elements` rolling elements.
 *
 * They must agree with each other: `bpfo + bpfi = elements` and `bpfo = elements * ftf`; and no contact angle gives a spin
 * greater than `(1 - r^2) / 2r`, r the ratio that follows from `bpfo`, which uncovers tables that print twice the spin.
 */
export const orderFaults = ({ ftf, bsf, bpfo, bpfi }: DefectOrders, elements: number): ReadonlyArray<Reason> => {
  const ratio = 1 - (2 * bpfo) / elements;
  const greatestSpin = (1 - ratio ** 2) / (2 * ratio);
  return [
    ...when(bpfo >= bpfi, 'bpfo', `must be below bpfi (${bpfi})`),
    ...when(
      Math.abs(bpfo + bpfi - elements) > SUM_TOLERANCE * elements,
      'bpfi',
      `must make ${elements} (elements) together with bpfo, and makes ${rounded(bpfo + bpfi)}`,
    ),
    ...when(
      Math.abs(elements * ftf - bpfo) > CAGE_TOLERANCE * bpfo,
      'ftf',
      `must be bpfo divided by elements, which is ${rounded(bpfo / elements)}`,
    ),
    ...when(
      ratio > 0 && bsf > greatestSpin * (1 + CAGE_TOLERANCE),
      'bsf',
      `must be at most ${rounded(greatestSpin)}: is it twice the spin frequency?`,
    ),
  ];
};

const when = (wrong: boolean, name: string, reason: string): ReadonlyArray<Reason> => (wrong ? [{ name, reason }] : []);

const rounded = (value: number): number => Number(value.toPrecision(4));
