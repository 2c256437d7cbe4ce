import { Client, Connection, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import * as E from 'fp-ts/Either';
import { payloadEncryption } from '../process/payload-encryption';
import { reasonOf } from '../process/reason-of';
import type { TemporalSettings } from '../process/settings';
import type { Status } from '../workflows/domain/alarm/status';
import { isCommandName } from '../workflows/domain/node/commands';
import { applyCommand, applyGroup } from '../workflows/domain/node/apply-group';
import { decodeArgument, newNode, type Node, type State } from '../workflows/domain/node/state';
import { emptyOutbox } from '../workflows/domain/node/outbox';
import { nodeIdOf, STATUS_ATTRIBUTE, WORKFLOW_TYPE, workflowIdOf } from '../workflows/messages';

const CALL_MS = 15_000;

/**
 * Connects to Temporal, which knows the nodes. Rejects with the reason where it does not answer, and so do the calls of what
 * is returned.
 */
export const connectNodes = async (settings: TemporalSettings) => {
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
    /** Has a node publish; a repeat under `updateId` is the same request. Left: why there was no answer. */
    republish: async (nodeId: string, userId: string, updateId: string): Promise<Republished> => {
      try {
        await inTime(() => handleOf(nodeId).executeUpdate('republish', { updateId, args: [{ userId }] }));
        return E.right('publishes');
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return E.right('not found');
        const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        const isUnchanged = cause instanceof ApplicationFailure && cause.type === 'Unchanged';
        return isUnchanged ? E.right('has nothing') : E.left(reasonOf(error));
      }
    },
    /**
     * The state of a node by the history of its run: what the run began with, and each command since. It changes nothing, and
     * needs no worker. Undefined where Temporal has no such node.
     */
    stateOf: (nodeId: string): Promise<State | undefined> =>
      inTime(async () => {
        const { type, status } = await handleOf(nodeId).describe();
        if (type !== WORKFLOW_TYPE || status.name !== 'RUNNING') return undefined;
        const { events } = await handleOf(nodeId).fetchHistory();
        const context = { type: 'workflow', namespace, workflowId: workflowIdOf(nodeId) } as const;
        const steps: RunStep[] = [];
        for (const event of events ?? []) {
          const taken = takenBy(event);
          if (taken === undefined) continue;
          const payloads = taken.input?.payloads ?? [];
          const [argument] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads, context);
          steps.push({ name: taken.name, at: optionalTsToMs(event.eventTime) ?? 0, argument });
        }
        return foldRun(nodeId, steps);
      }),
    close: (): Promise<void> => connection.close(),
  };
};

type Republished = E.Either<string, 'publishes' | 'has nothing' | 'not found'>;

const queryOf = (taskQueue: string, statuses: ReadonlyArray<Status>): string =>
  [
    `WorkflowType = '${WORKFLOW_TYPE}'`,
    `ExecutionStatus = 'Running'`,
    `TaskQueue = '${taskQueue.replaceAll("'", "''")}'`,
    ...(statuses.length > 0 ? [`${STATUS_ATTRIBUTE} IN (${statuses.join(', ')})`] : []),
  ].join(' AND ');

/** What a run took: its argument (`begin`), or an update or a signal by its name. `at` is epoch ms. */
interface RunStep {
  readonly name: string;
  readonly at: number;
  readonly argument: unknown;
}

const takenBy = ({
  workflowExecutionStartedEventAttributes: started,
  workflowExecutionUpdateAcceptedEventAttributes: updated,
  workflowExecutionSignaledEventAttributes: signalled,
}: temporal.api.history.v1.IHistoryEvent) => {
  if (started != null) return { name: 'begin', input: started.input };
  const update = updated?.acceptedRequest?.input;
  if (update != null) return { name: update.name ?? '', input: update.args };
  return signalled == null ? undefined : { name: signalled.signalName ?? '', input: signalled.input };
};

/**
 * The state of a node after the steps of its run, by the domain's own rules. What is not a command of the node, and what it
 * refused, changes nothing. Publishing is left out: no command waits for room.
 */
export const foldRun = (nodeId: string, steps: ReadonlyArray<RunStep>): State =>
  steps.reduce((node, step) => ({ ...after(nodeId, node, step), outbox: emptyOutbox }), newNode(nodeId)).state;

const after = (nodeId: string, node: Node, { name, at, argument }: RunStep): Node => {
  if (name === 'begin') return E.getOrElse(() => node)(decodeArgument(nodeId, argument));
  if (name !== 'applyCommands' && !isCommandName(name)) return node;
  const applied = name === 'applyCommands' ? applyGroup(node, argument, at) : applyCommand(node, name, argument, at);
  return E.isRight(applied) ? applied.right.node : node;
};
