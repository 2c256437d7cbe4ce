import { setTimeout as sleep } from 'node:timers/promises';
import { useOf } from '../load/machine-use';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { freshNodes, measuredNodes } from './prepare';

/** V8 gives memory back when a process has been idle for a while. */
const SETTLES_WITHIN_MS = 20_000;
const STEADY_MS = 5_000;

/** What a worker needs for nodes that it keeps, each with a threshold and a measurement. */
export const memory = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { cachedNodes } = bench.options.scale;
  // What the first nodes cost, the code that they warm up included, is not what a node costs.
  const first = freshNodes(Math.ceil(cachedNodes / 10));
  await measuredNodes(bench, stack, first);
  const before = await settled(stack);
  const nodes = freshNodes(cachedNodes - first.count);
  await measuredNodes(bench, stack, nodes);
  const after = await settled(stack);
  const figures = { before, after, 'bytes a node': (after - before) / nodes.count };
  bench.note({
    section: 'memory',
    load: `${first.count} and ${cachedNodes} nodes`,
    side: 'service',
    round: 1,
    figures,
  });
};

/** Resident bytes of the workers, once they fall no further. */
const settled = async (stack: BenchStack): Promise<number> => {
  const end = Date.now() + SETTLES_WITHIN_MS;
  let [least, since] = [Infinity, Date.now()];
  while (Date.now() < end && Date.now() - since < STEADY_MS) {
    const now = useOf(stack).resident['worker'] ?? 0;
    if (now < least * 0.99) [least, since] = [now, Date.now()];
    await sleep(250);
  }
  return least;
};
