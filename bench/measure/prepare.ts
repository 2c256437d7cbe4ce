import { setTimeout as sleep } from 'node:timers/promises';
import { secondsSince } from '../../stack/report';
import { FLAPS, type HttpTarget, type Nodes, type Pattern, type Target } from '../load/job';
import { coresBetween, useOf } from '../load/machine-use';
import { startLoad } from '../load/start-load';
import type { BenchStack } from '../bench-stack';
import { CALLERS, closed, jobOf, measure, type Bench } from './measure';

const WARM_NODES = 100;
/** So many nodes keep the server busy after they were begun; fewer are begun beside a load, too, where it is never idle. */
const KEEPS_BUSY_NODES = 1_000;
/** A server that has nothing left to do uses less than this. */
const IDLE_CORES = 0.15;
const LOOKS_EVERY_MS = 2_000;
const IDLE_WITHIN_MS = 90_000;
let sets = 0;

/** A set of new nodes. */
export const freshNodes = (count: number): Nodes => {
  sets += 1;
  return { set: sets, count };
};

/** Takes every node of `target` once, and waits until the server is idle again where they are many. Errors: more than one call in a hundred failed. */
export const once = async (bench: Bench, stack: BenchStack, target: Target): Promise<void> => {
  const begin = Date.now();
  const job = jobOf({ target, pattern: { kind: 'each', callers: CALLERS }, warmUpMs: 0, windowMs: 0 }, stack);
  let done = 0;
  const { windows, faults } = await startLoad(job, bench.ground, ({ calls, failed }) => {
    done += calls + failed;
    if (done < target.nodes.count) bench.say(`${done} of ${target.nodes.count} nodes, ${target.kind}`);
  });
  const failed = windows.reduce((sum, window) => sum + window.failed, 0);
  if (failed > target.nodes.count / 100) throw new Error(`${target.kind}: ${JSON.stringify(faults)}`);
  bench.say(`${target.nodes.count} nodes, ${target.kind}: ${secondsSince(begin)}`);
  if (target.nodes.count >= KEEPS_BUSY_NODES) await idle(stack);
};

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

/**
 * Puts the service under load for a while, and the baseline where there is one. In the first seconds a call takes twice the
 * processor time, until V8 has compiled what it sees often.
 */
export const warm = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const nodes = freshNodes(WARM_NODES);
  await warmBy(bench, stack, await measurementsOf(stack, await measuredNodes(bench, stack, nodes)));
  if (stack.processes['baseline'] === undefined) return;
  await warmBy(bench, stack, baselineTarget('baselineUpdate', stack, await baselineNodes(bench, stack, nodes)));
};

/** Puts so many calls on that whoever answers them is warm. */
export const warmBy = async (bench: Bench, stack: BenchStack, target: Target): Promise<void> => {
  const job = jobOf({ target, pattern: closed(), warmUpMs: 0, windowMs: bench.options.scale.warmMs }, stack);
  await startLoad(job, bench.ground);
};

/** Nodes of the service with a threshold. */
export const configuredNodes = async (bench: Bench, stack: BenchStack, nodes: Nodes): Promise<Nodes> => {
  await once(bench, stack, await serviceTarget('setThreshold', stack, nodes));
  return nodes;
};

/** Nodes of the service with a threshold and a measurement: the first one costs more, since it changes the status. */
export const measuredNodes = async (bench: Bench, stack: BenchStack, nodes: Nodes): Promise<Nodes> => {
  await configuredNodes(bench, stack, nodes);
  await once(bench, stack, await measurementsOf(stack, nodes, NEVER));
  return nodes;
};

/** Entities of the baseline, started. */
export const baselineNodes = async (bench: Bench, stack: BenchStack, nodes: Nodes): Promise<Nodes> => {
  await once(bench, stack, baselineTarget('baselineStart', stack, nodes));
  return nodes;
};

/** A call of the service by one user. */
export const serviceTarget = async (
  kind: 'setThreshold' | 'setSpectrumThreshold' | 'alarmStatus' | 'threshold',
  stack: BenchStack,
  nodes: Nodes,
): Promise<HttpTarget> => ({ kind, base: stack.api, tokens: [await stack.token('bench')], nodes });

/**
 * Of a node's measurements one in so many is in DANGER, the nodes in turn: one in fifty changes the status, or each of them
 * does, or either with half of the nodes.
 */
export const CALM = [100];
export const FLAPPING = [FLAPS];
export const CALM_AND_FLAPPING = [...CALM, ...FLAPPING];
/** No measurement in DANGER. No infinity, which JSON does not have. */
export const NEVER = [Number.MAX_SAFE_INTEGER];

/** Measurements by one user. */
export const measurementsOf = async (
  stack: BenchStack,
  nodes: Nodes,
  dangerEvery: ReadonlyArray<number> = CALM,
): Promise<Extract<HttpTarget, { readonly kind: 'recordMeasurement' }>> => ({
  ...{ kind: 'recordMeasurement', dangerEvery, base: stack.api, tokens: [await stack.token('bench')], nodes },
});

export const baselineTarget = (
  kind: Extract<Target, { readonly address: string }>['kind'],
  { temporal }: BenchStack,
  nodes: Nodes,
  bytes?: number,
): Target => ({ kind, address: temporal, nodes, ...(bytes !== undefined && { bytes }) });

/** A share of the rate at which so many nodes can be measured. */
interface ShareWanted {
  readonly section: string;
  readonly count: number;
  readonly share: number;
  readonly dangerEvery?: ReadonlyArray<number>;
}

/** Measures how many measurements of `count` nodes a second the service can take, and gives the load of `share` of that. */
export const shareOfGreatest = async (
  bench: Bench,
  stack: BenchStack,
  { section, count, share, dangerEvery }: ShareWanted,
): Promise<{ readonly target: HttpTarget; readonly pattern: Extract<Pattern, { readonly kind: 'fixed' }> }> => {
  const nodes = await measuredNodes(bench, stack, freshNodes(count));
  const target = await measurementsOf(stack, nodes, dangerEvery);
  const load = `${count} nodes, ${CALLERS} callers`;
  const { figures } = await measure(bench, { section, load, side: 'service', stack, target, pattern: closed() }, 1);
  const perSecond = Math.max(1, Math.round((figures['perSecond'] ?? 0) * share));
  return { target, pattern: { kind: 'fixed', perSecond } };
};

/** Longer than anything that is done beside a load. */
const LONGEST_MS = 600_000;

/** Does `work` beside measurements of many nodes at half of the greatest rate, which is measured first. Errors: the load ended. */
export const atHalfLoad = async (
  bench: Bench,
  stack: BenchStack,
  work: (perSecond: number) => Promise<void>,
): Promise<void> => {
  const { warmUpMs, scale } = bench.options;
  const [count = 1] = scale.spread;
  const silent = { ...bench, note: () => undefined };
  const half = await shareOfGreatest(silent, stack, { section: 'half load', count, share: 0.5 });
  const ending = new AbortController();
  const ground = { ...bench.ground, signal: AbortSignal.any([bench.ground.signal, ending.signal]) };
  const ended = startLoad(jobOf({ ...half, warmUpMs, windowMs: LONGEST_MS }, stack), ground).then(() => {
    throw new Error('the load ended before what is done beside it');
  });
  try {
    await Promise.race([sleep(warmUpMs).then(() => work(half.pattern.perSecond)), ended]);
  } finally {
    ending.abort();
    await ended.catch(() => undefined);
  }
};
