import { loadGraphs, type Graphs } from './code/graphs';
import type { Patch } from './code/load-code';
import { planOf, type Bounds, type Plan } from './world/plan';
import { runSchedule, type Totals, type Verdict } from './world/run-schedule';

/** The code with each kind of bounds. */
export type Loaded = { readonly graphsOf: (plan: Plan) => Graphs };

/** The code with `patches`, loaded for each kind of bounds when it is asked for. */
export const loadAll = (patches: ReadonlyArray<Patch> = []): Loaded => {
  const graphs = new Map<Bounds, Graphs>();
  return {
    graphsOf: ({ bounds }) => {
      const loaded = graphs.get(bounds) ?? loadGraphs(patches, bounds);
      graphs.set(bounds, loaded);
      return loaded;
    },
  };
};

export const noTotals: Totals = { schedules: 0, steps: 0, writes: 0, events: 0, virtualMs: 0, injected: {} };

/** The sum of both. */
export const withTotals = (one: Totals, other: Totals): Totals => {
  const injected = { ...one.injected };
  for (const [kind, count] of Object.entries(other.injected)) injected[kind] = (injected[kind] ?? 0) + count;
  return {
    schedules: one.schedules + other.schedules,
    steps: one.steps + other.steps,
    writes: one.writes + other.writes,
    events: one.events + other.events,
    virtualMs: one.virtualMs + other.virtualMs,
    injected,
  };
};

/** A schedule that broke a promise. */
export type Found = { readonly plan: Plan; readonly verdict: Verdict };

export interface ManyPlan {
  readonly seed: number;
  readonly schedules: number;
  readonly loaded: Loaded;
  /** What is changed about the plan of each seed. */
  readonly given?: Partial<Plan> | undefined;
}

/** Runs the schedules of the seeds from `seed` on, until one breaks a promise or all are run. */
export const runMany = async ({
  seed,
  schedules,
  loaded,
  given,
}: ManyPlan): Promise<{ readonly totals: Totals; readonly found: Found | undefined }> => {
  let totals = noTotals;
  let found: Found | undefined;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    while (totals.schedules < schedules && found === undefined) {
      const plan = { ...planOf(seed + totals.schedules), ...given };
      const verdict = await inCallback(() => runSchedule(plan, loaded.graphsOf(plan)));
      totals = withTotals(totals, verdict);
      if (verdict.breaches.length > 0) found = { plan, verdict };
    }
  } finally {
    Error.stackTraceLimit = limit;
  }
  return { totals, found };
};

/** Runs `work` in a callback of the event loop, where promises can be followed to their end. */
export const inCallback = <A>(work: () => A): Promise<A> =>
  new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error instanceof Error ? error : new Error('the schedule threw', { cause: error }));
      }
    });
  });
