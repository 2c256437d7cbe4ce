import { workflowIdOf } from '../../../workflows/messages';
import { classifyError } from './classify-error';
import type { WorkflowsUntil } from './workflows-until';

/** Time (ms) that one poll of an update waits. */
const POLL_MS = 20_000;

/**
 * Waits until an abandoned update is completed: carried out, refused, or no longer known to the server. It polls and never
 * sends, so it causes no late change.
 */
export const untilCompleted = async (
  workflowsUntil: WorkflowsUntil,
  nodeId: string,
  updateId: string,
): Promise<void> => {
  for (;;) {
    try {
      const workflows = workflowsUntil(Date.now() + POLL_MS);
      await workflows.getHandle(workflowIdOf(nodeId)).getUpdateHandle(updateId).result();
      return;
    } catch (error) {
      if (classifyError(error).kind !== 'late') return;
    }
  }
};
