import { loadGraphs, type Graphs } from './code/graphs';
import type { Patch } from './code/load-code';
import { planOf, type Plan } from './world/plan';
import { runSchedule, type Verdict } from './world/run-schedule';

/** The code with each kind of bounds. */
export interface Loaded {
  readonly graphsOf: (plan: Plan) => Graphs;
}

export const loadAll = (patches: ReadonlyArray<Patch> = []): Loaded => {
  const graphs = {
    shipped: loadGraphs(patches, 'shipped'),
    'small outbox': loadGraphs(patches, 'small outbox'),
    'small runs': loadGraphs(patches, 'small runs'),
  };
  return { graphsOf: ({ bounds }) => graphs[bounds] };
};

/** What came of many schedules. */
export interface Totals {
  schedules: number;
  steps: number;
  writes: number;
  events: number;
  virtualMs: number;
  readonly injected: Record<string, number>;
}

/** A schedule that broke a promise. */
export interface Found {
  readonly plan: Plan;
  readonly verdict: Verdict;
}

export interface ManyPlan {
  readonly seed: number;
  readonly schedules: number;
  readonly loaded: Loaded;
  /** Asked now and then; false ends it. */
  readonly goesOn?: (totals: Totals) => boolean;
}

const AT_ONCE = 20;

/** Runs the schedules of the seeds from `seed` on, until one breaks a promise or all are run. */
export const runMany = async (
  { seed, schedules, loaded, goesOn = () => true }: ManyPlan,
  progress: (totals: Totals) => void = () => undefined,
): Promise<{ readonly totals: Totals; readonly found: Found | undefined }> => {
  const totals: Totals = { schedules: 0, steps: 0, writes: 0, events: 0, virtualMs: 0, injected: {} };
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  let found: Found | undefined;
  try {
    while (totals.schedules < schedules && found === undefined && goesOn(totals)) {
      found = await inCallback(() => {
        for (let index = 0; index < AT_ONCE && totals.schedules < schedules; index += 1) {
          const plan = planOf(seed + totals.schedules);
          const verdict = runSchedule(plan, loaded.graphsOf(plan));
          add(totals, verdict);
          if (verdict.breaches.length > 0) return { plan, verdict };
        }
        return undefined;
      });
      progress(totals);
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

const add = (totals: Totals, { steps, writes, events, tookMs, injected }: Verdict): void => {
  totals.schedules += 1;
  totals.steps += steps;
  totals.writes += writes;
  totals.events += events;
  totals.virtualMs += tookMs;
  for (const [kind, count] of Object.entries(injected)) totals.injected[kind] = (totals.injected[kind] ?? 0) + count;
};
