import { secondsSince } from '../../scripts/stack/report';
import { startLoad } from '../load/start-load';
import type { HttpTarget, Nodes, Target } from '../load/job';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { jobOf } from './measure';

const CALLERS = 64;
const WARM_NODES = 100;
let sets = 0;

/** So many nodes that nobody has touched. */
export const freshNodes = (count: number): Nodes => {
  sets += 1;
  return { set: sets, count };
};

/** Takes every node of `target` once. Errors: more than one call in a hundred failed. */
export const once = async (bench: Bench, stack: BenchStack, target: Target): Promise<void> => {
  const begin = Date.now();
  const job = jobOf({ target, pace: { kind: 'each', callers: CALLERS }, warmUpMs: 0, windowMs: 0 }, stack);
  const { windows, faults } = await startLoad(job, bench.ground);
  const failed = windows.reduce((sum, window) => sum + window.failed, 0);
  if (failed > target.nodes.count / 100) throw new Error(`${target.kind}: ${JSON.stringify(faults)}`);
  bench.say(`${target.nodes.count} nodes, ${target.kind}: ${secondsSince(begin)}`);
};

/**
 * Puts the service under load for a while, and the floor where there is one. In the first seconds a call takes twice the
 * processor time, until V8 has compiled what it sees often; a service that has been up for a minute is not like that.
 */
export const warm = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const nodes = freshNodes(WARM_NODES);
  const service = await serviceTarget('recordMeasurement', stack, await withThresholds(bench, stack, nodes));
  const hasFloor = stack.processes['floor'] !== undefined;
  const floor = hasFloor ? [floorTarget('floorUpdate', stack, await floorNodes(bench, stack, nodes))] : [];
  for (const target of [service, ...floor]) await warmBy(bench, stack, target);
};

/** Puts so many calls on that whoever answers them is warm. */
export const warmBy = async (bench: Bench, stack: BenchStack, target: Target): Promise<void> => {
  const pace = { kind: 'closed', callers: CALLERS } as const;
  await startLoad(jobOf({ target, pace, warmUpMs: 0, windowMs: bench.options.scale.warmMs }, stack), bench.ground);
};

/** Nodes of the service with a threshold, ready to be measured. */
export const withThresholds = async (bench: Bench, stack: BenchStack, nodes: Nodes): Promise<Nodes> => {
  await once(bench, stack, await serviceTarget('setThreshold', stack, nodes));
  return nodes;
};

/** Entities of the floor, started. */
export const floorNodes = async (bench: Bench, stack: BenchStack, nodes: Nodes): Promise<Nodes> => {
  await once(bench, stack, floorTarget('floorStart', stack, nodes));
  return nodes;
};

/** A call of the service by one user. */
export const serviceTarget = async (
  kind: Exclude<HttpTarget['kind'], 'batch'>,
  stack: BenchStack,
  nodes: Nodes,
): Promise<HttpTarget> => ({ kind, base: stack.api, tokens: [await stack.token('bench')], nodes });

export const floorTarget = (
  kind: Extract<Target, { readonly address: string }>['kind'],
  { temporal }: BenchStack,
  nodes: Nodes,
): Target => ({ kind, address: temporal, nodes });
