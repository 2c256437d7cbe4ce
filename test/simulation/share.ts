import { loadAll, runMany } from './run-many';
import type { Totals } from './world/run-schedule';

/** Schedules of the seeds from one on. */
export type Range = { readonly seed: number; readonly schedules: number };

/** What came of a range; `broken` is the seed of the schedule that broke a promise. */
export type RangeResult = { readonly totals: Totals; readonly broken: number | undefined };

/** A process of `run-on-cores.ts`: it runs the ranges that it is sent, one after the other. */
const loaded = loadAll();
process.on(
  'message',
  (range: Range) =>
    void runMany({ ...range, loaded }).then(({ totals, found }) => {
      process.send?.({ totals, broken: found?.plan.seed } satisfies RangeResult);
    }),
);
process.on('disconnect', () => process.exit());
