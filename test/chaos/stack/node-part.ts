import type { Ground } from '../../../scripts/stack/ground';
import { startNodePart, type NodePartPlan } from '../../../scripts/stack/node-part';
import { part, type Part } from './part';

const READY_WITHIN_MS = 60_000;

/** Starts a process of this project that may be hurt, and started again on its port. */
export const nodePart = async (plan: NodePartPlan, ground: Ground): Promise<Part> => {
  let running = await startNodePart(plan, ground);
  return part({
    name: plan.name,
    child: () => running.child,
    startAgain: async () => {
      await running.child.stop(0);
      running = await startNodePart(plan, ground);
    },
    ready: () => running.ready(READY_WITHIN_MS),
  });
};
