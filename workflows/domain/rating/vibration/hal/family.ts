import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Hal } from '../../../threshold/hal';
import type { DefectOrders } from '../bearings/bearing';
import { halConstants } from './hal-constants';
import { faults, frequencyOfLabel } from './hal-label';

const { abs, max, round } = Math;

/** A family: the harmonics of one fault frequency, for which a HAL (harmonic alarm) looks. */
export interface Family {
  /** The name that is shown if the family explains the lines of another one: `BPFO of SKF 6205`, `12x`. */
  readonly name: string;
  /** The fault frequency in multiples of the shaft's speed. */
  readonly factor: number;
  /** Whether slip may change the frequency. If not, it is a fixed multiple of the shaft's speed. */
  readonly slips: boolean;
  /** The fault is looked for at this many times its frequency: 1, or 2 for a ball that strikes both rings in each turn. */
  readonly strikes: number;
  /** Distance of the sidebands in multiples of the shaft's speed; 0 if there are none. */
  readonly modulation: number;
}

/**
 * The families of a bearing's fault. A faulty part that turns modulates the vibration, which makes sidebands: the inner ring
 * turns with the shaft, the balls turn with the cage.
 */
const faultFamilies = (fault: keyof DefectOrders, orders: DefectOrders, bearing: string): ReadonlyArray<Family> =>
  (fault === 'bsf' ? [1, 2] : [1])
    .map((strikes) => ({
      name: `${fault.toUpperCase()} of ${bearing}`,
      factor: orders[fault],
      slips: true,
      strikes,
      modulation: { bpfo: 0, ftf: 0, bpfi: 1, bsf: orders.ftf }[fault],
    }))
    // Twice the ball's frequency is left out if it lies on a multiple of the shaft, which would pass for the fault.
    .filter((family) => family.strikes === 1 || coincidenceOf(family) === undefined);

/** Whole multiples, halves, thirds and sixths of the shaft's speed are locked to it. Others are taken for belts, which slip. */
export const multipleFamily = (factor: number): Family => ({
  name: `${Number(factor.toPrecision(4))}x`,
  factor,
  slips: !Number.isInteger(Number((factor * 6).toPrecision(12))),
  strikes: 1,
  modulation: 0,
});

/** The frequency at which a family is looked for, in the unit of `shaft`. */
export const fundamentalOf = ({ factor, strikes }: Family, shaft: number): number => factor * strikes * shaft;

/** The whole multiple of the shaft that is nearest to a family's frequency. */
export const nearestMultiple = (family: Family): number => max(round(fundamentalOf(family, 1)), 1);

/** The whole multiple of the shaft on which a family that slips lies, so that no line tells them apart; undefined if none. */
export const coincidenceOf = (family: Family): number | undefined => {
  const whole = nearestMultiple(family);
  return family.slips && abs(fundamentalOf(family, 1) - whole) < halConstants.onShaft * whole ? whole : undefined;
};

/** Whether the frequencies of two families are too near each other to be distinguished. */
export const isSameFamily = (one: Family, other: Family): boolean =>
  abs(fundamentalOf(one, 1) / fundamentalOf(other, 1) - 1) < halConstants.same;

/** How far a family's sidebands lie from each harmonic, in multiples of the shaft's speed. */
export const sidesOf = ({ modulation }: Family): ReadonlyArray<number> =>
  modulation === 0 ? [] : [-2, -1, 1, 2].map((times) => times * modulation);

export type FindOrders = (bearing: NonNullable<Hal['bearing']>) => DefectOrders | undefined;

/** The families for which a HAL looks, or why none. GLOBAL means all faults of its bearing or, without a bearing, the shaft. */
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
