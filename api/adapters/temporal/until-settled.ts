import { workflowIdOf } from '../../../workflows/messages';
import { troubleOf } from './trouble';
import type { WorkflowsUntil } from './workflows-until';

/** How long one look at an update waits. */
const LOOK_MS = 20_000;

/**
 * Waits until an update that nobody waits for any more is over: carried out, refused, or no longer known to the server. It
 * asks and never sends, so nothing old happens late because of it.
 */
export const untilSettled = async (workflowsUntil: WorkflowsUntil, nodeId: string, updateId: string): Promise<void> => {
  for (;;) {
    try {
      const workflows = workflowsUntil(Date.now() + LOOK_MS);
      await workflows.getHandle(workflowIdOf(nodeId)).getUpdateHandle(updateId).result();
      return;
    } catch (error) {
      if (troubleOf(error).kind !== 'late') return;
    }
  }
};
