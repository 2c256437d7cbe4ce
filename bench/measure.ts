import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { followLog, runChild } from '../stack/child';
import { projectRoot } from '../stack/project-root';
import { secondsSince } from '../stack/report';
import { CALM, isBaseline, NEVER, type Calls, type Job, type Nodes } from './job';
import type { Pattern, ResultLine, Window } from './job';
import { coresBetween, useOf } from './machine-use';
import type { BenchOptions } from './options';
import type { BenchGround, BenchStack } from './stack';

/** The context of a measurement. */
export interface Bench {
  readonly options: BenchOptions;
  readonly ground: BenchGround;
  readonly say: (line: string) => void;
  /** Keeps a row for the report, and shows it. */
  readonly note: (row: Row) => void;
}

/** The figures of one measurement in one round. */
export interface Row {
  readonly section: string;
  /** What was done, such as `300 nodes, 64 callers`. */
  readonly load: string;
  /** `service`, `baseline`, or the variant that was measured. */
  readonly side: string;
  readonly round: number;
  readonly figures: Figures;
}

/**
 * Numbers by name: `perSecond`, `p50`, `p99`, `max` (ms), `failed`, `cores <process>`, `resident <process>` (bytes), and
 * those of a section's own.
 */
export type Figures = Readonly<Record<string, number>>;

/** An observation beside a load: it begins when called, and its figures are added after the load. */
export type Watch = (stack: BenchStack, calls: Calls) => Promise<() => Promise<Figures>>;

/** One side of a load. */
export interface Side {
  readonly side: string;
  readonly calls: Calls;
  /** Absent: that of the load. */
  readonly load?: string;
  /** So many of the load's nodes; absent: all. */
  readonly count?: number;
  /** Closed loops; absent: 64. */
  readonly callers?: number;
  /** Whether an API with a read cache is called. */
  readonly isCached?: boolean;
  /** Each node takes it once before each round. */
  readonly before?: Calls;
  readonly watch?: Watch;
}

/** A load on new nodes: its sides in turn, round by round. */
export interface Load {
  readonly section: string;
  readonly nodes: number;
  /** Absent: `<nodes> nodes, 64 callers`. */
  readonly load?: string;
  /** Of the greatest rate, which is measured first: the calls come at fixed times. Absent: closed loops. */
  readonly share?: number;
  /** What new nodes take first; absent: a threshold and a measurement, or what their calls need instead. */
  readonly prepare?: ReadonlyArray<Calls>;
  readonly sides: ReadonlyArray<Side>;
}

export const CALLERS = 64;

let sets = 0;

/** A set of new nodes. */
export const freshNodes = (count: number): Nodes => {
  sets += 1;
  return { set: sets, count };
};

export const textOf = (count: number, callers = CALLERS): string =>
  `${count} ${count === 1 ? 'node' : 'nodes'}, ${callers} callers`;

/** Measures every side once a round, in turn; every other round backwards, so that none of them always comes first. */
export const measureLoad = async (bench: Bench, stack: BenchStack, load: Load): Promise<void> => {
  const { section, share, sides } = load;
  const nodes = freshNodes(load.nodes);
  await prepare(bench, stack, nodes, load.prepare ?? sides.flatMap(({ calls }) => preparationOf(calls)));
  const inRounds = async (cached: BenchStack): Promise<void> => {
    const measurements: Measurement[] = [];
    for (const { isCached = false, count = load.nodes, callers = CALLERS, ...side } of sides) {
      const whole = { section, stack: isCached ? cached : stack, nodes: { ...nodes, count }, pattern: closed(callers) };
      const measurement = { load: load.load ?? textOf(load.nodes), ...whole, ...side };
      measurements.push(share === undefined ? measurement : await atShare(bench, measurement, share));
    }
    for (let round = 1; round <= bench.options.rounds; round += 1) {
      const order = round % 2 === 1 ? measurements : measurements.toReversed();
      for (const measurement of order) await measure(bench, measurement, round);
    }
  };
  if (sides.some(({ isCached = false }) => isCached)) await withWarmCache(bench, stack, nodes, inRounds);
  else await inRounds(stack);
};

/** One load of one side on one stack. */
export interface Measurement extends Pick<Job, 'calls' | 'nodes' | 'pattern'> {
  readonly section: string;
  readonly load: string;
  readonly side: string;
  readonly stack: BenchStack;
  readonly before?: Calls;
  readonly watch?: Watch | undefined;
}

export const closed = (callers = CALLERS): Pattern => ({ kind: 'closed', callers });

/** Between two loads, so that what the first one left in flight is over. */
const PAUSE_MS = 700;

/** Applies the load, and records its figures. */
export const measure = async (bench: Bench, measurement: Measurement, round: number): Promise<Row> => {
  const { section, load, side, stack, calls, nodes, pattern, before, watch } = measurement;
  if (before !== undefined) await once(bench, stack, before, nodes);
  const watched = await watch?.(stack, calls);
  const { windows, faults } = await startLoad(bench, stack, { calls, nodes, pattern });
  await sleep(PAUSE_MS);
  const figures = { ...windows.reduce((_, window) => figuresOf(window), {}), ...(await watched?.()) };
  const row = { section, load, side, round, figures };
  bench.note(row);
  const [fault] = Object.keys(faults);
  if (fault !== undefined) bench.say(`${section}, ${load}, ${side}: calls failed, for instance: ${fault}`);
  return row;
};

type AtShare = Measurement & { readonly pattern: Extract<Pattern, { readonly kind: 'fixed' }> };

/** The same at a share of the rate that the service can take, which is measured first. */
export const atShare = async (bench: Bench, measurement: Measurement, share: number): Promise<AtShare> => {
  const greatest = { ...measurement, load: textOf(measurement.nodes.count), watch: undefined };
  const { figures } = await measure(bench, greatest, 1);
  const perSecond = Math.max(1, Math.round((figures['perSecond'] ?? 0) * share));
  return { ...measurement, pattern: { kind: 'fixed', perSecond } };
};

/** A window by the names that rows have. */
export const figuresOf = ({ perSecond, p50, p99, max, failed, cores, resident }: Window): Figures => ({
  ...{ perSecond, p50, p99, max, failed },
  ...prefixed('cores', cores),
  ...prefixed('resident', resident),
});

const prefixed = (kind: string, values: Figures): Figures =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${kind} ${name}`, value]));

/** What brings a new node into the state in which it takes such calls. A first measurement costs more: it changes the status. */
const preparationOf = (calls: Calls): ReadonlyArray<Calls> => {
  if (isBaseline(calls)) return [{ kind: 'baselineStart' }];
  if (calls.kind === 'recordSpectrum') return [{ kind: 'setSpectrumThreshold' }];
  return MEASURED;
};

export const MEASURED = [{ kind: 'setThreshold' }, { kind: 'recordMeasurement', dangerEvery: NEVER }] as const;

/** Each node takes each kind of `all` once. */
export const prepare = async (
  bench: Bench,
  stack: BenchStack,
  nodes: Nodes,
  all: ReadonlyArray<Calls>,
): Promise<void> => {
  for (const calls of new Map(all.map((one) => [one.kind, one])).values()) await once(bench, stack, calls, nodes);
};

/** So many nodes keep the server busy after they were begun; fewer are begun beside a load, too, where it is never idle. */
const KEEPS_BUSY_NODES = 1_000;

/** Every node once; waits until the server is idle again where they are many. Errors: more than one call in a hundred failed. */
const once = async (bench: Bench, stack: BenchStack, calls: Calls, nodes: Nodes): Promise<void> => {
  const begin = Date.now();
  let done = 0;
  const job = { calls, nodes, pattern: { kind: 'each', callers: CALLERS } } as const;
  const { windows, faults } = await startLoad(bench, stack, job, (window) => {
    done += window.calls + window.failed;
    if (done < nodes.count) bench.say(`${done} of ${nodes.count} nodes, ${calls.kind}`);
  });
  const failed = windows.reduce((sum, window) => sum + window.failed, 0);
  if (failed > nodes.count / 100) throw new Error(`${calls.kind}: ${JSON.stringify(faults)}`);
  bench.say(`${nodes.count} nodes, ${calls.kind}: ${secondsSince(begin)}`);
  if (nodes.count >= KEEPS_BUSY_NODES) await idle(stack);
};

/** A server that has nothing left to do uses less than this. */
const IDLE_CORES = 0.15;
const LOOKS_EVERY_MS = 2_000;
const IDLE_WITHIN_MS = 90_000;

/** Waits until the server has done what calls leave to it: thousands of nodes that were begun keep it busy for a while. */
const idle = async (stack: BenchStack): Promise<void> => {
  const end = Date.now() + IDLE_WITHIN_MS;
  let [before, cores] = [useOf(stack), Infinity];
  while (cores > IDLE_CORES && Date.now() < end) {
    await sleep(LOOKS_EVERY_MS);
    const now = useOf(stack);
    cores = coresBetween(before, now, LOOKS_EVERY_MS / 1_000)['temporal'] ?? 0;
    before = now;
  }
};

const WARM_NODES = 100;

/**
 * Puts the service under load for a while, and the baseline where there is one. In the first seconds a call takes twice the
 * processor time, until V8 has compiled what it sees often.
 */
export const warm = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const nodes = freshNodes(WARM_NODES);
  const measurements = { kind: 'recordMeasurement', dangerEvery: CALM } as const;
  const sides = stack.processes['baseline'] === undefined ? [] : [{ kind: 'baselineUpdate' } as const];
  for (const calls of [measurements, ...sides]) {
    await prepare(bench, stack, nodes, preparationOf(calls));
    await warmBy(bench, stack, calls, nodes);
  }
};

const warmBy = (bench: Bench, stack: BenchStack, calls: Calls, nodes: Nodes) =>
  startLoad(bench, stack, { calls, nodes, pattern: closed(), warmUpMs: 0, windowMs: bench.options.scale.warmMs });

/** Does `work` with another API whose read cache has the nodes. */
export const withWarmCache = (
  bench: Bench,
  stack: BenchStack,
  nodes: Nodes,
  work: (cached: BenchStack) => Promise<void>,
): Promise<void> =>
  stack.withCache(async (cached) => {
    await warmBy(bench, cached, { kind: 'alarmStatus' }, nodes);
    await work(cached);
  });

/** Longer than any call and the start of the process together. */
const BEYOND_MS = 60_000;
/** A job that takes every node once ends with the last of them: 40 to 100 a second. */
const A_NODE_MS = 100;

let made = 0;

/**
 * Has the calls made by a load generator in a process of its own, which watches all of `stack`; `onWindow` gets each window as
 * it ends. Errors: it failed, or is not done in time.
 */
export const startLoad = async (
  { options, ground }: Bench,
  { api, token, temporal, processes, files }: BenchStack,
  wanted: Pick<Job, 'calls' | 'nodes' | 'pattern'> & Partial<Job>,
  onWindow: (window: Window) => void = () => undefined,
) => {
  made += 1;
  const { warmUpMs, windowMs } = options;
  const job: Job = { ...{ api, token, temporal, processes, files, warmUpMs, windowMs, windows: 1 }, ...wanted };
  const windows: Window[] = [];
  let faults: Readonly<Record<string, number>> = {};
  const log = join(ground.folder, `load-${made}.log`);
  const results = followLog(log, (line) => {
    if (!line.startsWith('{')) return;
    const result: ResultLine = JSON.parse(line);
    if ('faults' in result) faults = result.faults;
    else {
      windows.push(result.window);
      onWindow(result.window);
    }
  });
  const { kind } = job.pattern;
  const ownMs = kind === 'each' ? job.nodes.count * A_NODE_MS : job.warmUpMs + job.windows * job.windowMs;
  const signal = AbortSignal.any([ground.signal, AbortSignal.timeout(ownMs + BEYOND_MS)]);
  const args = ['dist/bench/generator.js', JSON.stringify(job)];
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const plan = { name: 'load', command: process.execPath, args, folder: projectRoot, env, log };
  await runChild(plan, { ...ground, signal }).finally(results.stop);
  return { windows, faults };
};
