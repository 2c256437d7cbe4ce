import { setTimeout as sleep } from 'node:timers/promises';
import { secondsSince } from '../../scripts/stack/report';
import { coresBetween, useOf } from '../load/machine-use';
import { startLoad } from '../load/start-load';
import type { HttpTarget, Nodes, Target } from '../load/job';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { jobOf } from './measure';

const CALLERS = 64;
const WARM_NODES = 100;
/** So many nodes keep the server busy after they were begun; fewer are begun beside a load, too, where it is never idle. */
const KEEPS_BUSY_NODES = 1_000;
/** A server that has nothing left to do uses less than this. */
const IDLE_CORES = 0.15;
const LOOKS_EVERY_MS = 2_000;
const IDLE_WITHIN_MS = 90_000;
let sets = 0;

/** So many nodes that nobody has touched. */
export const freshNodes = (count: number): Nodes => {
  sets += 1;
  return { set: sets, count };
};

/** Takes every node of `target` once, and waits until the server is idle again where they are many. Errors: more than one call in a hundred failed. */
export const once = async (bench: Bench, stack: BenchStack, target: Target): Promise<void> => {
  const begin = Date.now();
  const job = jobOf({ target, pace: { kind: 'each', callers: CALLERS }, warmUpMs: 0, windowMs: 0 }, stack);
  const { windows, faults } = await startLoad(job, bench.ground);
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
 * Puts the service under load for a while, and the floor where there is one. In the first seconds a call takes twice the
 * processor time, until V8 has compiled what it sees often; a service that has been up for a minute is not like that.
 */
export const warm = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const nodes = freshNodes(WARM_NODES);
  const service = await serviceTarget('recordMeasurement', stack, await measuredNodes(bench, stack, nodes));
  const hasFloor = stack.processes['floor'] !== undefined;
  const floor = hasFloor ? [floorTarget('floorUpdate', stack, await floorNodes(bench, stack, nodes))] : [];
  for (const target of [service, ...floor]) await warmBy(bench, stack, target);
};

/** Puts so many calls on that whoever answers them is warm. */
export const warmBy = async (bench: Bench, stack: BenchStack, target: Target): Promise<void> => {
  const pace = { kind: 'closed', callers: CALLERS } as const;
  await startLoad(jobOf({ target, pace, warmUpMs: 0, windowMs: bench.options.scale.warmMs }, stack), bench.ground);
};

/** Nodes of the service with a threshold and a measurement: the first one costs more, since it changes the status. */
export const measuredNodes = async (bench: Bench, stack: BenchStack, nodes: Nodes): Promise<Nodes> => {
  for (const kind of ['setThreshold', 'recordMeasurement'] as const)
    await once(bench, stack, await serviceTarget(kind, stack, nodes));
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
