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
export const faultFamily = (fault: keyof DefectOrders, orders: DefectOrders, bearing: string): Family => ({
  name: `${fault.toUpperCase()} of ${bearing}`,
  factor: orders[fault],
  slips: true,
  strikes: fault === 'bsf' ? [1, 2] : [1],
  modulation: { bpfo: 0, ftf: 0, bpfi: 1, bsf: orders.ftf }[fault],
});

/** A multiple of the shaft. Whole ones and their halves and thirds turn with it, others belong to belts and slip. */
export const multipleFamily = (factor: number): Family => ({
  name: `${Number(factor.toPrecision(4))}x`,
  factor,
  slips: !Number.isInteger(Number((factor * 6).toPrecision(12))),
  strikes: [1],
  modulation: 0,
});

/** The whole number that a slipping family coincides with: none of its lines can be told from those of the shaft. */
export const coincidenceOf = ({ factor, slips }: Family): number | undefined => {
  const whole = Math.max(Math.round(factor), 1);
  return slips && Math.abs(factor - whole) < halConstants.coincident * whole ? whole : undefined;
};

/** Whether one cannot be told from the other. */
export const isSame = (one: Family, other: Family): boolean =>
  Math.abs(one.factor / other.factor - 1) < halConstants.same;
