import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../process/in-parallel';
import { secondsSince } from '../stack/report';
import { baseline, freshNodes, service, type Calls, type Nodes } from './calls';
import { applyLoad, numbers, type Figures, type Load } from './load';
import { coresBetween, useOf } from './machine';
import type { BenchOptions } from './options';
import type { BenchStack } from './stack';

/** A run of the benchmark, on the stack of now. */
export interface Bench {
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly note: (row: Row) => void;
  readonly stack: BenchStack;
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

/** An observation beside a load: it begins when called, and its figures are added after the load. */
export type Watch = (stack: BenchStack, calls: Calls) => Promise<() => Promise<Figures>>;

export interface Side {
  readonly side: string;
  readonly calls: Calls;
  /** Absent: that of the load. */
  readonly load?: string;
  /** So many of the load's nodes; absent: all. */
  readonly count?: number;
  /** Closed loops; absent: 64. */
  readonly callers?: number;
  /** Each node takes it once before each round. */
  readonly before?: Calls;
  readonly watch?: Watch;
}

/** A load on new nodes: its sides in turn, round by round. */
export interface LoadRow {
  readonly section: string;
  readonly nodes: number;
  /** Absent: `<nodes> nodes, 64 callers`. */
  readonly load?: string;
  /** Of the greatest rate, which is measured first: the calls come at fixed times. Absent: closed loops. */
  readonly share?: number;
  /** Calls at fixed times, so many a second; none with 0. */
  readonly perSecond?: number;
  /** Instead of the rounds so many minutes, each a load of its own. */
  readonly minutes?: number;
  readonly sides: ReadonlyArray<Side>;
}

type Measurement = Load & Pick<Row, 'section' | 'load'> & Pick<Side, 'side' | 'before' | 'watch'>;

/** Callers of a load, unless it says otherwise. */
export const CALLERS = 64;

const textOf = (count: number, callers = CALLERS): string =>
  `${count} ${count === 1 ? 'node' : 'nodes'}, ${callers} callers`;

/** Measures every side once a round, in turn; every other round backwards, so that none of them always comes first. */
export const measureRow = async (
  bench: Bench,
  { section, load, share, perSecond, minutes, sides, ...row }: LoadRow,
) => {
  const { warmUpMs, windowMs, rounds } = bench.options;
  const nodes = freshNodes(row.nodes);
  for (const calls of new Set(sides.flatMap((side) => side.calls.prepare))) await callEachOnce(bench, calls, nodes);
  const course = minutes === undefined ? { warmUpMs, windowMs } : { warmUpMs: 0, windowMs: 60_000 };
  const measurements: Measurement[] = [];
  for (const { count = row.nodes, callers = CALLERS, ...side } of sides) {
    const measurement: Measurement = {
      ...{ section, load: load ?? textOf(row.nodes, callers), nodes: { ...nodes, count } },
      pattern: perSecond === undefined ? { callers } : { perSecond },
      ...course,
      ...side,
    };
    measurements.push(share === undefined ? measurement : await atShare(bench, measurement, share));
  }
  for (let round = 1; round <= (minutes ?? rounds); round += 1)
    for (const measurement of round % 2 === 1 ? measurements : measurements.toReversed())
      await measure(bench, minutes === undefined ? measurement : { ...measurement, load: `minute ${round}` }, round);
};

const measure = async (bench: Bench, measurement: Measurement, round: number): Promise<Figures> => {
  const { stack, signal } = bench;
  const { section, load, side, calls, nodes, before, watch } = measurement;
  if (before !== undefined) await callEachOnce(bench, before, nodes);
  const watched = await watch?.(stack, calls);
  const { figures, fault } = await applyLoad(stack, measurement, signal);
  bench.note({ section, load, side, round, figures: { ...figures, ...(await watched?.()) } });
  if (fault !== undefined) bench.say(`${section}, ${load}, ${side}: calls failed, for instance: ${fault}`);
  return figures;
};

/** The same at a share of the rate that the service can take, which is measured first. */
const atShare = async (bench: Bench, measurement: Measurement, share: number): Promise<Measurement> => {
  const { watch: _, ...greatest } = measurement;
  const figures = await measure(bench, { ...greatest, load: textOf(measurement.nodes.count) }, 1);
  return { ...measurement, pattern: { perSecond: Math.max(1, Math.round((figures['Calls/s'] ?? 0) * share)) } };
};

const WARM_NODES = 100;

/**
 * Puts the service, and the baseline beside it, under load for a while, as far as they run. In the first seconds a call takes twice
 * the processor time, until V8 has compiled what it sees often.
 */
export const warm = async (bench: Bench): Promise<void> => {
  const { stack, options, signal } = bench;
  const nodes = freshNodes(WARM_NODES);
  const how = { nodes, pattern: { callers: CALLERS }, warmUpMs: 0, windowMs: options.scale.warmMs };
  const all = { worker: service.calm, baseline: baseline.update };
  for (const calls of Object.entries(all).flatMap(([name, calls]) =>
    (stack.processes[name] ?? []).length > 0 ? calls : [],
  )) {
    for (const first of calls.prepare) await callEachOnce(bench, first, nodes);
    await applyLoad(stack, { calls, ...how }, signal);
  }
};

/** Every node once; waits until the server is idle again where they are many. Errors: more than one call in a hundred failed. */
export const callEachOnce = async (bench: Bench, calls: Calls, nodes: Nodes): Promise<void> => {
  const { stack, say, signal } = bench;
  const begin = Date.now();
  const faults: string[] = [];
  const { call, close } = await calls.open(stack, nodes);
  const make = async (number: number): Promise<void> => {
    const fault = await call(number);
    if (fault !== '') faults.push(fault);
  };
  await inParallel(numbers(nodes.count), CALLERS, make, () => !signal.aborted);
  await close();
  signal.throwIfAborted();
  if (faults.length > nodes.count / 100) throw new Error(`${calls.name}: ${faults.length} failed, ${faults[0]}`);
  say(`${nodes.count} nodes, ${calls.name}: ${secondsSince(begin)}`);
  if (nodes.count >= KEEPS_BUSY_NODES) await untilIdle(bench);
};

/** So many nodes keep the server busy after they were begun; fewer are begun beside a load, too, where it is never idle. */
const KEEPS_BUSY_NODES = 1_000;
/** A server that has nothing left to do uses less than this. */
const IDLE_CORES = 0.15;
const LOOKS_EVERY_MS = 2_000;
const IDLE_WITHIN_MS = 90_000;

const untilIdle = async ({ stack, signal }: Bench): Promise<void> => {
  const end = Date.now() + IDLE_WITHIN_MS;
  for (let cores = Infinity; cores > IDLE_CORES && Date.now() < end;) {
    const before = useOf(stack);
    await sleep(LOOKS_EVERY_MS, undefined, { signal });
    cores = coresBetween(before, useOf(stack))['Temporal'] ?? 0;
  }
};
