import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { DefectOrders } from '../bearings/defect-orders';
import { hzAt, type Lines } from '../lines';
import { LOCKED, SLIPPING } from './alignment';
import { discriminate } from './discriminate';
import { withoutShaft } from './masked-lines';
import { prominenceOf, type Prominence } from './prominence';
import { withoutOffset, type VisibleLines } from './visible-lines';

type ByFault<A> = Readonly<Record<keyof DefectOrders, A>>;

/** Harmonics that were found: of `factor` times the shaft's speed, which is `hz` when nothing slips. */
export interface Found {
  readonly factor: number;
  readonly hz: number;
  readonly prominence: Prominence;
}

/** The harmonics of one spectrum. What several HALs share is computed once. */
export interface SpectrumHarmonics {
  readonly ofShaft: (factor: number) => E.Either<string, Found>;
  readonly ofBearing: (orders: DefectOrders) => ByFault<E.Either<string, Found>>;
}

/** The harmonics in `lines`, or why none can be looked for. */
export const spectrumHarmonics = (lines: Lines): E.Either<string, SpectrumHarmonics> => {
  const { shaftHz, spacing } = lines;
  if (shaftHz === 0) return E.left('the speed is 0');
  if (!(spacing > 0) || !Number.isFinite(hzAt(lines, lines.hz.length - 1))) return E.left('the lines have no spacing');
  const all = withoutOffset(lines);
  const clear = withoutShaft(all);
  const bearings = new Map<DefectOrders, ByFault<E.Either<string, Found>>>();
  return E.right({
    ofShaft: (factor) =>
      pipe(
        Number.isInteger(factor)
          ? prominenceOf(all, { hz: factor * shaftHz, tolerance: LOCKED })
          : prominenceOf(clear, { hz: factor * shaftHz, tolerance: SLIPPING }),
        E.map((prominence) => ({ factor, hz: factor * shaftHz, prominence })),
      ),
    ofBearing: (orders) => {
      const found = bearings.get(orders) ?? ofBearing(clear, orders);
      bearings.set(orders, found);
      return found;
    },
  });
};

const ofBearing = (clear: VisibleLines, { ftf, bsf, bpfo, bpfi }: DefectOrders): ByFault<E.Either<string, Found>> => {
  const { shaftHz } = clear.lines;
  const factors: ByFault<number> = { ftf, bsf, bpfo, bpfi };
  // What carries the fault modulates it: the inner ring turns with the shaft, the elements with the cage.
  const turns: ByFault<ReadonlyArray<number>> = { ftf: [], bsf: [ftf], bpfo: [], bpfi: [1] };
  const rivals = faults.map((name) => ({
    name,
    hz: factors[name] * shaftHz,
    tolerance: SLIPPING,
    sides: turns[name].flatMap((turn) => [-2, -1, 1, 2].map((times) => times * turn * shaftHz)),
  }));
  return discriminate(clear, rivals).reduce<ByFault<E.Either<string, Found>>>((all, { name, prominence }) => {
    const factor = factors[name];
    return {
      ...all,
      [name]: E.map((found: Prominence) => ({ factor, hz: factor * shaftHz, prominence: found }))(prominence),
    };
  }, none);
};

const faults = ['ftf', 'bsf', 'bpfo', 'bpfi'] as const;
const unrated = E.left('only peaks');
const none: ByFault<E.Either<string, Found>> = { ftf: unrated, bsf: unrated, bpfo: unrated, bpfi: unrated };
