import { baseline, freshNodes, service, type Calls, type Nodes } from './calls';
import { applyLoad, callEachOnce, CALLERS, type Figures, type Load } from './load';
import type { BenchOptions } from './options';
import type { BenchGround, BenchStack } from './stack';

export interface Bench {
  readonly options: BenchOptions;
  readonly ground: BenchGround;
  readonly say: (line: string) => void;
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

/** An observation beside a load: it begins when called, and its figures are added after the load. */
export type Watch = (bench: Bench, stack: BenchStack, calls: Calls) => Promise<() => Promise<Figures>>;

export interface Side {
  readonly side: string;
  readonly calls: Calls;
  /** Absent: that of the load. */
  readonly load?: string;
  /** So many of the load's nodes; absent: all. */
  readonly count?: number;
  /** Closed loops; absent: 64. */
  readonly callers?: number;
  readonly isCached?: boolean;
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
  /** Instead of the rounds so many minutes, each a load of its own. */
  readonly minutes?: number;
  /** What new nodes take first; absent: what their calls need. */
  readonly prepare?: ReadonlyArray<Calls>;
  readonly sides: ReadonlyArray<Side>;
}

interface Measurement extends Load, Pick<Side, 'side' | 'before' | 'watch'> {
  readonly section: string;
  readonly load: string;
  readonly stack: BenchStack;
}

const MINUTE_MS = 60_000;

export const textOf = (count: number, callers = CALLERS): string =>
  `${count} ${count === 1 ? 'node' : 'nodes'}, ${callers} callers`;

/** Measures every side once a round, in turn; every other round backwards, so that none of them always comes first. */
export const measureRow = async (bench: Bench, stack: BenchStack, row: LoadRow): Promise<void> => {
  const { section, share, minutes, sides } = row;
  const { warmUpMs, windowMs, rounds } = bench.options;
  const nodes = freshNodes(row.nodes);
  await prepare(bench, stack, nodes, row.prepare ?? sides.flatMap(({ calls }) => calls.prepare));
  const course = minutes === undefined ? { warmUpMs, windowMs } : { warmUpMs: MINUTE_MS, windowMs: MINUTE_MS };
  const measurements: Measurement[] = [];
  for (const { isCached = false, count = row.nodes, callers = CALLERS, ...side } of sides) {
    const measurement: Measurement = {
      ...{ section, load: row.load ?? textOf(row.nodes), stack: isCached ? (stack.cached ?? stack) : stack },
      ...{ nodes: { ...nodes, count }, pattern: { callers }, ...course, ...side },
    };
    measurements.push(share === undefined ? measurement : await atShare(bench, measurement, share));
  }
  for (let round = 1; round <= (minutes ?? rounds); round += 1)
    for (const measurement of round % 2 === 1 ? measurements : measurements.toReversed())
      if (minutes === undefined) await measure(bench, measurement, round);
      else await measure(bench, { ...measurement, load: `minute ${round}`, warmUpMs: 0 }, round);
};

export const prepare = async (bench: Bench, stack: BenchStack, nodes: Nodes, all: ReadonlyArray<Calls>) => {
  for (const calls of new Set(all)) await callEachOnce(stack, calls, nodes, bench);
};

const measure = async (bench: Bench, measurement: Measurement, round: number): Promise<Figures> => {
  const { section, load, side, stack, calls, nodes, before, watch } = measurement;
  if (before !== undefined) await callEachOnce(stack, before, nodes, bench);
  const watched = await watch?.(bench, stack, calls);
  const { figures, fault } = await applyLoad(stack, measurement, bench.ground.signal);
  const all = { ...figures, ...(await watched?.()) };
  bench.note({ section, load, side, round, figures: all });
  if (fault !== undefined) bench.say(`${section}, ${load}, ${side}: calls failed, for instance: ${fault}`);
  return all;
};

/** The same at a share of the rate that the service can take, which is measured first. */
const atShare = async (bench: Bench, measurement: Measurement, share: number): Promise<Measurement> => {
  const { watch: _, ...greatest } = measurement;
  const figures = await measure(bench, { ...greatest, load: textOf(measurement.nodes.count) }, 1);
  return { ...measurement, pattern: { perSecond: Math.max(1, Math.round((figures['Calls/s'] ?? 0) * share)) } };
};

const WARM_NODES = 100;

/**
 * Puts all that is called on a stack under load for a while. In the first seconds a call takes twice the processor time, until
 * V8 has compiled what it sees often.
 */
export const warm = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { options, ground } = bench;
  const nodes = freshNodes(WARM_NODES);
  const how = { nodes, pattern: { callers: CALLERS }, warmUpMs: 0, windowMs: options.scale.warmMs };
  const called: ReadonlyArray<readonly [BenchStack, Calls]> = [
    [stack, service.calm],
    ...(stack.processes['baseline'] === undefined ? [] : [[stack, baseline.update] as const]),
    ...(stack.cached === undefined ? [] : [[stack.cached, service.status] as const]),
  ];
  for (const [on, calls] of called) {
    await prepare(bench, on, nodes, calls.prepare);
    await applyLoad(on, { calls, ...how }, ground.signal);
  }
};
