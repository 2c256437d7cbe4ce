import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { workflowIdOf } from '../../../workflows/messages';

/** All that Temporal keeps of a node's current run, byte by byte as it travels; texts in payloads stand in it as they are. */
export const rawHistory = async ({ workflowService }: Client, nodeId: string): Promise<Buffer> => {
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId: workflowIdOf(nodeId) },
  });
  return Buffer.from(temporal.api.history.v1.History.encode(history ?? {}).finish());
};
