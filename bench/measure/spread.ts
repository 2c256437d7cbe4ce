import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { countPublications } from './count-publications';
import { inRounds } from './measure';
import { floorNodes, floorTarget, freshNodes, measuredNodes, serviceTarget } from './prepare';

const CALLERS = 64;

/** Measurements of many nodes, against updates of as many entities. */
export const spread = async (bench: Bench, stack: BenchStack): Promise<void> => {
  for (const count of bench.options.scale.spread) {
    const nodes = await measuredNodes(bench, stack, freshNodes(count));
    const entities = await floorNodes(bench, stack, freshNodes(count));
    const both = { section: 'spread', load: `${count} nodes, ${CALLERS} callers`, stack };
    const pace = { kind: 'closed', callers: CALLERS } as const;
    const target = await serviceTarget('recordMeasurement', stack, nodes);
    await inRounds(bench, [
      { ...both, side: 'floor', pace, target: floorTarget('floorUpdate', stack, entities) },
      { ...both, side: 'service', pace, target, beside: () => countPublications(stack) },
    ]);
  }
};
