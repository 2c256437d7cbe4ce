import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import * as E from 'fp-ts/Either';
import { NOTHING_WAITS, publishNowUpdate, workflowIdOf } from '../../../workflows/messages';
import { retry } from './retry';
import { updateFailure } from './update-failure';
import type { WorkflowsUntil } from './workflows-until';

/** Time (ms) in which a node confirms that it will publish. */
const DEADLINE_MS = 5_000;

/** Has a node publish its own outbox. True when no event is left to a relay, also for a node without a run. */
export const createPublishNow =
  (workflowsUntil: WorkflowsUntil) =>
  async (nodeId: string): Promise<boolean> => {
    const until = Date.now() + DEADLINE_MS;
    return E.isRight(await retry((end) => request(workflowsUntil(end), nodeId), until));
  };

const request = async (workflows: WorkflowClient, nodeId: string): Promise<void> => {
  try {
    await workflows.getHandle(workflowIdOf(nodeId)).executeUpdate(publishNowUpdate);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || updateFailure(error, NOTHING_WAITS) !== undefined) return;
    throw error;
  }
};
