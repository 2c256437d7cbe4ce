import type { WorkflowClient } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { workflowIdOf } from '../../workflows/names';

/** When the server knew of each step of a workflow task; ms since the epoch. */
export interface TaskTimes {
  readonly scheduled: number;
  readonly begun: number;
  readonly committed: number;
}

const { EventType } = temporal.api.enums.v1;

/** The times of a node's last workflow task, by its history. */
export const lastTaskOf = async (workflow: WorkflowClient, nodeID: string): Promise<TaskTimes> => {
  const { events } = await workflow.getHandle(workflowIdOf(nodeID)).fetchHistory();
  const timeOf = (type: temporal.api.enums.v1.EventType): number => {
    const { seconds, nanos } = events?.findLast(({ eventType }) => eventType === type)?.eventTime ?? {};
    return Number(seconds ?? NaN) * 1_000 + (nanos ?? 0) / 1e6;
  };
  return {
    scheduled: timeOf(EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED),
    begun: timeOf(EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED),
    committed: timeOf(EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED),
  };
};
