import { workflowIdOf } from '../../workflows/names';
import { nodeId } from '../load/job';
import type { BenchStack } from '../stack/bench-stack';
import { withWorkflows } from '../stack/with-workflows';
import type { Bench } from './bench';
import { inRounds } from './measure';
import { floorNodes, floorTarget, freshNodes, measuredNodes, serviceTarget } from './prepare';
import type { Figures } from './row';

/** Everybody at one node, against everybody at one entity; by a server's own limits. */
export const hot = async (bench: Bench, stack: BenchStack): Promise<void> => {
  for (const callers of bench.options.scale.hotCallers) {
    const node = await measuredNodes(bench, stack, freshNodes(1));
    const entity = await floorNodes(bench, stack, freshNodes(1));
    const both = {
      section: 'hot',
      load: `1 node, ${callers} callers`,
      stack,
      pace: { kind: 'closed', callers } as const,
    };
    const target = await serviceTarget('recordMeasurement', stack, node);
    const runsOf = (workflowId: string) => () => countRuns(stack, workflowId);
    await inRounds(bench, [
      {
        ...both,
        side: 'floor',
        target: floorTarget('floorUpdate', stack, entity),
        beside: runsOf(`floor-${nodeId(entity.set, 0)}`),
      },
      { ...both, side: 'service', target, beside: runsOf(workflowIdOf(nodeId(node.set, 0))) },
    ]);
  }
};

/** How often the workflow continued as new from now on. */
const countRuns = async (stack: BenchStack, workflowId: string): Promise<() => Promise<Figures>> => {
  const runs = async (): Promise<number> => {
    const { count } = await withWorkflows(stack, (workflows) => workflows.count(`WorkflowId = '${workflowId}'`));
    return count;
  };
  const before = await runs();
  return async () => ({ renewals: (await runs()) - before });
};
