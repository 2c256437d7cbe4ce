import { Client, Connection } from '@temporalio/client';
import { COUNTER, countUpdate, FLOOR_TASK_QUEUE, totalQuery } from '../floor/names';
import { nodeId, type Target } from './job';
import type { MakeCall } from './run-load';

type FloorTarget = Extract<Target, { readonly address: string }>;

/** Calls of the floor's entities, by the Temporal client as it comes. */
export const floorCalls = async ({ kind, address, nodes }: FloorTarget): Promise<MakeCall> => {
  const client = new Client({ connection: await Connection.connect({ address }) });
  const call = callOf(kind, client);
  return async (number) => {
    try {
      await call(`floor-${nodeId(nodes.set, number % nodes.count)}`);
      return '';
    } catch (error) {
      return error instanceof Error ? reasonOf(error) : String(error);
    }
  };
};

const callOf = (kind: FloorTarget['kind'], { workflow }: Client): ((workflowId: string) => Promise<unknown>) => {
  switch (kind) {
    case 'floorStart':
      return (workflowId) => workflow.start(COUNTER, { workflowId, taskQueue: FLOOR_TASK_QUEUE, args: [0] });
    case 'floorUpdate':
      return (workflowId) => workflow.getHandle(workflowId).executeUpdate(countUpdate, { args: [1] });
    case 'floorQuery':
      return (workflowId) => workflow.getHandle(workflowId).query(totalQuery);
  }
};

const reasonOf = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message : message).slice(0, 80);
