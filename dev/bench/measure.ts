import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../../process/in-parallel';
import { secondsSince } from '../stack/report';
import { baseline, freshNodes, callsOfPreviousRelease, service, type Calls, type Nodes } from './calls';
import { applyLoad, numbers, type Figures, type Load } from './load';
import { coresBetween, resourceUseOf } from './machine';
import type { BenchOptions } from './options';
import type { BenchStack } from './stack';

/** What a measurement needs: the options of this run, the current stack, and where results go. */
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

/** Begins an observation of a load. The function that it returns ends the observation and returns further figures. */
export type Watch = (stack: BenchStack, calls: Calls) => Promise<() => Promise<Figures>>;

export interface Side {
  readonly side: string;
  readonly calls: Calls;
  /** The load in words; by default that of the row. */
  readonly load?: string;
  /** How many of the row's nodes get calls; by default all. */
  readonly count?: number;
  /** How many callers there are; each calls again once its last call is answered; by default 64. */
  readonly callers?: number;
  /** The call that each node gets once before each round. */
  readonly before?: Calls;
  readonly watch?: Watch;
}

/** A load on new nodes. Its sides (service, baseline or variants) are measured in turn, round by round. */
export interface LoadRow {
  readonly section: string;
  readonly nodes: number;
  /** The load in words; by default `<nodes> nodes, 64 callers`. */
  readonly load?: string;
  /**
   * Calls are made at fixed times, at this share of the greatest rate, which is measured first. Without `share` and
   * `perSecond`, each caller calls again once its last call is answered.
   */
  readonly share?: number;
  /** Calls per second. They are sent at fixed times, however long the answers take; 0 means no calls. */
  readonly perSecond?: number;
  /** How many minutes are measured instead of rounds; each minute is a load of its own. */
  readonly minutes?: number;
  readonly sides: ReadonlyArray<Side>;
}

type Measurement = Load & Pick<Row, 'section' | 'load'> & Pick<Side, 'side' | 'before' | 'watch'>;

/** How many callers a load has by default. */
export const CALLERS = 64;

const textOf = (count: number, callers = CALLERS): string =>
  `${count} ${count === 1 ? 'node' : 'nodes'}, ${callers} callers`;

/** Measures every side once per round. Every other round takes the sides backwards, so that no side always comes first. */
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
      section,
      load: load ?? textOf(row.nodes, callers),
      nodes: { ...nodes, count },
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

/** Measures the greatest rate. Returns the measurement with `share` of the greatest rate as its fixed rate. */
const atShare = async (bench: Bench, measurement: Measurement, share: number): Promise<Measurement> => {
  const { watch: _, ...greatest } = measurement;
  const figures = await measure(bench, { ...greatest, load: textOf(measurement.nodes.count) }, 1);
  return { ...measurement, pattern: { perSecond: Math.max(1, Math.round((figures['Calls/s'] ?? 0) * share)) } };
};

const WARM_NODES = 100;

/**
 * Warms up the service, the baseline and the previous release by a load, if they run on this stack. In its first seconds a
 * process takes twice the processor time per call, until V8 has compiled the code that runs often.
 */
export const warmUp = async (bench: Bench): Promise<void> => {
  const { stack, options, signal } = bench;
  const nodes = freshNodes(WARM_NODES);
  const how = { nodes, pattern: { callers: CALLERS }, warmUpMs: 0, windowMs: options.scale.warmMs };
  const all = { worker: service.calm, baseline: baseline.update, before: callsOfPreviousRelease(service.calm) };
  for (const calls of Object.entries(all).flatMap(([name, calls]) =>
    (stack.processes[name] ?? []).length > 0 ? calls : [],
  )) {
    for (const first of calls.prepare) await callEachOnce(bench, first, nodes);
    await applyLoad(stack, { calls, ...how }, signal);
  }
};

/** Calls every node once. After 1,000 nodes or more it waits until Temporal is idle. Errors: over 1 % of the calls failed. */
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

/** This many new nodes keep Temporal's server busy for a while. */
const KEEPS_BUSY_NODES = 1_000;
/** Temporal's server counts as idle if it uses fewer cores than this. */
const IDLE_CORES = 0.15;
const LOOKS_EVERY_MS = 2_000;
const IDLE_WITHIN_MS = 90_000;

const untilIdle = async ({ stack, signal }: Bench): Promise<void> => {
  const end = Date.now() + IDLE_WITHIN_MS;
  for (let cores = Infinity; cores > IDLE_CORES && Date.now() < end;) {
    const before = resourceUseOf(stack);
    await sleep(LOOKS_EVERY_MS, undefined, { signal });
    cores = coresBetween(before, resourceUseOf(stack))['Temporal'] ?? 0;
  }
};
