import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import * as E from 'fp-ts/Either';
import { NOTHING_WAITS, publishNowUpdate, workflowIdOf } from '../../../workflows/messages';
import { persistently } from './persistently';
import { updateFailure } from './update-failure';
import type { WorkflowsUntil } from './workflows-until';

/** How long a node may take to say that it will publish (ms). */
const DEADLINE_MS = 5_000;

/** Has a node publish by itself what waits there. It tells whether the node knows: one that has nothing, or is gone, does. */
export const createPublishNow =
  (workflowsUntil: WorkflowsUntil) =>
  async (nodeId: string): Promise<boolean> => {
    const until = Date.now() + DEADLINE_MS;
    return E.isRight(await persistently(() => tell(workflowsUntil(until), nodeId), until));
  };

const tell = async (workflows: WorkflowClient, nodeId: string): Promise<void> => {
  try {
    await workflows.getHandle(workflowIdOf(nodeId)).executeUpdate(publishNowUpdate);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || updateFailure(error, NOTHING_WAITS) !== undefined) return;
    throw error;
  }
};
