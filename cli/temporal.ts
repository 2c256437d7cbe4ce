import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import * as E from 'fp-ts/Either';
import { payloadEncryption } from '../process/payload-encryption';
import { reasonOf } from '../process/reason-of';
import type { TemporalSettings } from '../process/settings';
import { reasonsInWords, type Reasons } from '../workflows/domain/codecs';
import type { Status } from '../workflows/domain/alarm/status';
import type { State } from '../workflows/domain/node/state';
import { foldRun, stepsOf, type RunStep } from './run-steps';
import { nodeIdOf, STATUS_ATTRIBUTE, updates, WORKFLOW_TYPE, workflowIdOf } from '../workflows/messages';

const CALL_MS = 15_000;

/**
 * Connects to Temporal, where every node is a workflow. Errors: the promises of this function, of `list` and of `stateOf`
 * reject if Temporal does not answer.
 */
export const connectTemporal = async (settings: TemporalSettings) => {
  const { connection: options, namespace, taskQueue, payloadKeys } = settings;
  const connection = await Connection.connect({ ...options, connectTimeout: '10 seconds' });
  const client = new Client({
    connection,
    namespace,
    ...(payloadKeys !== undefined && { dataConverter: { payloadCodecs: [payloadEncryption(payloadKeys)] } }),
  });
  const handleOf = (nodeId: string) => client.workflow.getHandle(workflowIdOf(nodeId));
  const inTime = <A>(call: () => Promise<A>) => connection.withDeadline(Date.now() + CALL_MS, call);
  return {
    list: async (statuses: ReadonlyArray<Status>): Promise<ReadonlyArray<string>> => {
      const nodes = new Set<string>();
      for await (const { workflowId } of client.workflow.list({ query: queryOf(taskQueue, statuses), pageSize: 1_000 }))
        nodes.add(nodeIdOf(workflowId));
      return [...nodes];
    },
    /** Makes a node publish its state again, but only once per `updateId`. Left: why the call failed. */
    republish: async (nodeId: string, userId: string, updateId: string): Promise<Republished> => {
      try {
        const { changed } = await inTime(() =>
          handleOf(nodeId).executeUpdate(updates.republish, { updateId, args: [{ userId }] }),
        );
        return E.right(changed ? 'publishes' : 'has nothing');
      } catch (error) {
        return error instanceof WorkflowNotFoundError ? E.right('not found') : E.left(reasonOf(error));
      }
    },
    /**
     * The state of a node, computed from the history of its current run: the argument of the run and every command since. This
     * changes nothing and, unlike a query, needs no worker. Left: why the state cannot be computed.
     */
    stateOf: (nodeId: string): Promise<E.Either<string, State>> =>
      inTime(async () => {
        const described = await handleOf(nodeId).describe().catch(notFound);
        if (described?.type !== WORKFLOW_TYPE || described.status.name !== 'RUNNING')
          return E.left('Temporal has no such node');
        const { events } = await handleOf(nodeId).fetchHistory();
        const payloadContext = { type: 'workflow', namespace, workflowId: workflowIdOf(nodeId) } as const;
        const converter = client.options.loadedDataConverter;
        const steps: RunStep[] = [];
        for (const { argument: payloads, ...taken } of stepsOf(events ?? [])) {
          const [argument] = await decodeArrayFromPayloads(converter, [...payloads], payloadContext);
          steps.push({ ...taken, argument });
        }
        return E.mapLeft(unknownState)(foldRun(nodeId, steps));
      }),
    close: (): Promise<void> => connection.close(),
  };
};

const notFound = (error: unknown): undefined => {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
};

const unknownState = (reasons: Reasons): string =>
  `the state of the node does not decode, so a newer release may have written it: ${reasonsInWords(reasons.slice(0, 5))}`;

type Republished = E.Either<string, 'publishes' | 'has nothing' | 'not found'>;

const queryOf = (taskQueue: string, statuses: ReadonlyArray<Status>): string =>
  [
    `WorkflowType = '${WORKFLOW_TYPE}'`,
    `ExecutionStatus = 'Running'`,
    `TaskQueue = '${taskQueue.replaceAll("'", "''")}'`,
    ...(statuses.length > 0 ? [`${STATUS_ATTRIBUTE} IN (${statuses.join(', ')})`] : []),
  ].join(' AND ');
