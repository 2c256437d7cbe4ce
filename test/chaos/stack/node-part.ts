import type { Ground } from '../../../stack/ground';
import { startNodeProcess, type NodeProcessPlan } from '../../../stack/service/start-service';
import { part, type Part } from './part';

const READY_WITHIN_MS = 60_000;

/** Starts a process of this project that may be hurt, and started again on its port. */
export const nodePart = async (plan: NodeProcessPlan, ground: Ground): Promise<Part> => {
  let running = await startNodeProcess(plan, ground);
  return part({
    name: plan.name,
    child: () => running.child,
    startAgain: async () => {
      await running.child.stop(0);
      running = await startNodeProcess(plan, ground);
    },
    ready: () => running.ready(READY_WITHIN_MS),
  });
};
