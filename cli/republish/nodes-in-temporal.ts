import { Client, Connection, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import * as E from 'fp-ts/Either';
import { payloadEncryption } from '../../process/payload-encryption';
import { reasonOf } from '../../process/reason-of';
import type { TemporalSettings } from '../../process/settings';
import type { Status } from '../../workflows/domain/alarm/status';
import { nodeIdOf, STATUS_ATTRIBUTE, WORKFLOW_TYPE, workflowIdOf } from '../../workflows/names';

/** What became of one node. */
export type Asked = 'publishes' | 'has nothing' | 'not found';

/** The nodes as Temporal knows them. */
export interface NodesInTemporal {
  /** The nodes that run, of all statuses or of `statuses`. Rejects where Temporal does not answer. */
  readonly list: (statuses: ReadonlyArray<Status>) => Promise<ReadonlyArray<string>>;
  /** Has a node publish; a repeat under `updateId` is the same request. Left: why there was no answer. */
  readonly republish: (nodeId: string, userId: string, updateId: string) => Promise<E.Either<string, Asked>>;
  readonly close: () => Promise<void>;
}

/** Deadline of one call. */
const CALL_MS = 15_000;

/** Connects to Temporal. Rejects with the reason where it does not answer. */
export const connectNodes = async (settings: TemporalSettings): Promise<NodesInTemporal> => {
  const { connection: options, namespace, taskQueue, payloadKeys } = settings;
  const connection = await Connection.connect({ ...options, connectTimeout: '10 seconds' });
  const client = new Client({
    connection,
    namespace,
    ...(payloadKeys !== undefined && { dataConverter: { payloadCodecs: [payloadEncryption(payloadKeys)] } }),
  });
  return {
    list: async (statuses) => {
      const nodes = new Set<string>();
      for await (const { workflowId } of client.workflow.list({ query: queryOf(taskQueue, statuses), pageSize: 1_000 }))
        nodes.add(nodeIdOf(workflowId));
      return [...nodes];
    },
    republish: async (nodeId, userId, updateId) => {
      try {
        await connection.withDeadline(Date.now() + CALL_MS, () =>
          client.workflow.getHandle(workflowIdOf(nodeId)).executeUpdate('republish', { updateId, args: [{ userId }] }),
        );
        return E.right('publishes');
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return E.right('not found');
        return isUnchanged(error) ? E.right('has nothing') : E.left(reasonOf(error));
      }
    },
    close: () => connection.close(),
  };
};

const queryOf = (taskQueue: string, statuses: ReadonlyArray<Status>): string =>
  [
    `WorkflowType = '${WORKFLOW_TYPE}'`,
    `ExecutionStatus = 'Running'`,
    `TaskQueue = '${taskQueue.replaceAll("'", "''")}'`,
    ...(statuses.length > 0 ? [`${STATUS_ATTRIBUTE} IN (${statuses.join(', ')})`] : []),
  ].join(' AND ');

const isUnchanged = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'Unchanged';
