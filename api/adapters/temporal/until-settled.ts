import type { Client } from '@temporalio/client';
import { workflowIdOf } from '../../../workflows/messages';
import { troubleOf } from './trouble';

/** How long one look at an update waits. */
const LOOK_MS = 20_000;

/**
 * Waits until an update that nobody waits for any more is over: carried out, refused, or no longer known to the server. It
 * asks and never sends, so nothing old happens late because of it.
 */
export const untilSettled = async (client: Client, nodeId: string, updateId: string): Promise<void> => {
  for (;;) {
    try {
      await client.withDeadline(Date.now() + LOOK_MS, () =>
        client.workflow.getHandle(workflowIdOf(nodeId)).getUpdateHandle(updateId).result(),
      );
      return;
    } catch (error) {
      if (troubleOf(error).kind !== 'late') return;
    }
  }
};
