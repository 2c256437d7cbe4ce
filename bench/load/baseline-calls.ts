import { Client, Connection } from '@temporalio/client';
import { counter, countUpdate, totalQuery, type Brought } from '../baseline/counter.workflow';
import { BASELINE_TASK_QUEUE, nodeId, type Target } from './job';
import type { MakeCall } from './run-load';

type BaselineTarget = Extract<Target, { readonly address: string }>;

/** Calls of the baseline's entities, by the unmodified Temporal client. */
export const baselineCalls = async ({ kind, address, nodes, bytes }: BaselineTarget): Promise<MakeCall> => {
  const args: [number, Brought?] = bytes === undefined ? [1] : [1, { content: 'x'.repeat(bytes) }];
  const { workflow } = new Client({ connection: await Connection.connect({ address }) });
  const calls: Record<BaselineTarget['kind'], (workflowId: string, turn: number) => Promise<unknown>> = {
    baselineStart: (workflowId) => workflow.start(counter, { workflowId, taskQueue: BASELINE_TASK_QUEUE, args: [0] }),
    baselineUpdate: (workflowId) => workflow.getHandle(workflowId).executeUpdate(countUpdate, { args }),
    baselineFlap: (workflowId, turn) =>
      workflow.getHandle(workflowId).executeUpdate(countUpdate, { args: [1, { status: 2 + (turn % 2) }] }),
    baselineQuery: (workflowId) => workflow.getHandle(workflowId).query(totalQuery),
  };
  return async (number) => {
    try {
      await calls[kind](`baseline-${nodeId(nodes.set, number % nodes.count)}`, Math.floor(number / nodes.count));
      return '';
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return (cause instanceof Error ? cause.message : String(cause)).slice(0, 80);
    }
  };
};
