import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { measure } from './measure';
import { freshNodes, measuredNodes, once, serviceTarget } from './prepare';

const CALLERS = 64;

/** Many more nodes than a worker keeps: measurements of nodes that it has in memory, and of nodes that it must replay. */
export const misses = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { missNodes, cachedNodes } = bench.options.scale;
  const kept = await measuredNodes(bench, stack, freshNodes(Math.ceil(cachedNodes / 2)));
  const many = freshNodes(missNodes);
  await once(bench, stack, await serviceTarget('setThreshold', stack, many));
  const pace = { kind: 'closed', callers: CALLERS } as const;
  const both = { section: 'misses', side: 'service', stack, pace };
  const toKept = await serviceTarget('recordMeasurement', stack, kept);
  // Taken in turn, a node is always the one that was thrown out longest ago.
  const toMany = await serviceTarget('recordMeasurement', stack, many);
  for (let round = 1; round <= bench.options.rounds; round += 1) {
    await once(bench, stack, toKept);
    await measure(bench, { ...both, load: `${kept.count} nodes, all of them kept`, target: toKept }, round);
    await measure(bench, { ...both, load: `${many.count} nodes in turn, none kept`, target: toMany }, round);
  }
};
