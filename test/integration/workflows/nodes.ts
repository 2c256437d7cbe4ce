import { randomUUID } from 'node:crypto';
import { defineSearchAttributeKey } from '@temporalio/common';
import { Client, Connection, WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  type Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import * as E from 'fp-ts/Either';
import { createClient } from 'redis';
import { inject } from 'vitest';
import { createActivities } from '../../../activities/publish-events';
import { createPublisher } from '../../../stream/append';
import { payloadEncryption } from '../../../process/payload-encryption';
import { workerSettings, type PayloadKeys } from '../../../process/settings';
import { createPointAlarmWorker } from '../../../worker/run-nodes';
import { bundleWorkflows } from '../../../worker/workflow-code';
import type { GroupReceipt } from '../../../workflows/domain/node/apply-group';
import { classifyError } from '../../../api/nodes/temporal/errors';
import {
  applyCommandsUpdate,
  queries,
  STATUS_ATTRIBUTE,
  WORKFLOW_TYPE,
  workflowIdOf,
} from '../../../workflows/messages';
import { releasedWorkflows } from '../../support/released-workflows';
import { eventSettings } from '../../support/redis/event-settings';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

/** A stream entry as consumers read it. */
export type Entry = Readonly<Record<string, string>>;

/** A worker, a client and a stream of their own on the servers of the run. */
export interface Nodes {
  readonly client: Client;
  readonly taskQueue: string;
  readonly stream: string;
  /** Sends a group by update-with-start, and again after a transient failure, such as of a node that continues as new. */
  readonly send: (nodeId: string, commands: ReadonlyArray<object>, updateId?: string) => Promise<GroupReceipt>;
  readonly sendOnce: (nodeId: string, commands: ReadonlyArray<object>, updateId?: string) => Promise<GroupReceipt>;
  readonly handle: (nodeId: string) => WorkflowHandle;
  /** The entries of a node, in stream order. */
  readonly entries: (nodeId: string) => Promise<ReadonlyArray<Entry>>;
  /** The same, once there are just `count`. */
  readonly entriesOnce: (nodeId: string, count: number) => Promise<ReadonlyArray<Entry>>;
  /** Waits until all events of a node are in the stream, and the node knows it. */
  readonly allPublished: (nodeId: string) => Promise<unknown>;
  readonly runs: (nodeId: string) => Promise<number>;
  readonly stop: () => Promise<void>;
}

export const statusAttribute = defineSearchAttributeKey(STATUS_ATTRIBUTE, 'INT');
/** The workflow code; absent: the released one. */
export const bundle = (workflowsPath?: string): Promise<{ readonly code: string }> =>
  workflowsPath === undefined ? releasedWorkflows() : bundleWorkflows(workflowsPath);

/** Servers other than the shared ones, for tests that stop them, and another workflow than the released one. */
interface OwnParts {
  readonly redisUrl?: string;
  readonly temporalAddress?: string;
  readonly taskQueue?: string;
  readonly stream?: string;
  readonly payloadKeys?: PayloadKeys;
  readonly workflowsPath?: string;
}

export const bringUpNodes = async (own: OwnParts = {}): Promise<Nodes> => {
  const nodes = await bringUpClient(own);
  const redis = await connectRedis(own.redisUrl ?? inject('redisUrl'));
  const connection = await NativeConnection.connect({ address: own.temporalAddress ?? inject('temporalAddress') });
  const options: WorkerOptions = {
    connection,
    namespace: 'default',
    taskQueue: nodes.taskQueue,
    workflowBundle: await bundle(own.workflowsPath),
    ...dataConverterOf(own),
    activities: { ...createActivities(createPublisher({ client: redis }, eventSettings({ stream: nodes.stream }))) },
  };
  const presets = workerSettings({});
  if (E.isLeft(presets)) throw new Error(presets.left.join('\n'));
  const worker: Worker = await createPointAlarmWorker(options, {
    ...presets.right,
    MAX_CACHED_WORKFLOWS: 200,
    MAX_CONCURRENT_WORKFLOW_TASKS: 50,
    WORKFLOW_TASK_POLLERS: 10,
    MAX_CONCURRENT_ACTIVITIES: 50,
    ACTIVITY_POLLERS: 5,
    STICKY_TIMEOUT_MS: 3_000,
    SHUTDOWN_DEADLINE_MS: 5_000,
  });
  const running = worker.run();
  return {
    ...nodes,
    stop: async () => {
      worker.shutdown();
      await running;
      await connection.close();
      redis.destroy();
      await nodes.stop();
    },
  };
};

const dataConverterOf = ({ payloadKeys }: OwnParts) =>
  payloadKeys !== undefined && { dataConverter: { payloadCodecs: [payloadEncryption(payloadKeys, (one) => one)] } };

/** A client alone, for workers that are processes of their own. */
export const bringUpClient = async (own: OwnParts = {}): Promise<Nodes> => {
  const address = own.temporalAddress ?? inject('temporalAddress');
  const taskQueue = own.taskQueue ?? `nodes-${randomUUID()}`;
  const stream = own.stream ?? `events-${randomUUID()}`;
  const redis = await connectRedis(own.redisUrl ?? inject('redisUrl'));
  const clientConnection = await Connection.connect({ address });
  const client = new Client({ connection: clientConnection, ...dataConverterOf(own) });
  const sendOnce: Nodes['sendOnce'] = (nodeId, commands, updateId) =>
    client.workflow.executeUpdateWithStart(applyCommandsUpdate, {
      args: [{ commands, keepsStatusAttribute: true }],
      ...(updateId !== undefined && { updateId }),
      startWorkflowOperation: new WithStartWorkflowOperation(WORKFLOW_TYPE, {
        workflowId: workflowIdOf(nodeId),
        taskQueue,
        workflowIdConflictPolicy: 'USE_EXISTING',
        typedSearchAttributes: [{ key: statusAttribute, value: 0 }],
      }),
    });
  const handle: Nodes['handle'] = (nodeId) => client.workflow.getHandle(workflowIdOf(nodeId));
  const entries: Nodes['entries'] = async (nodeId) =>
    ((await redis.xRange(stream, '-', '+')) ?? [])
      .map(({ message }) => message as Entry)
      .filter((entry) => entry['aggregateId'] === nodeId);
  return {
    client,
    taskQueue,
    stream,
    send: async (...group) => {
      for (;;) {
        try {
          return await sendOnce(...group);
        } catch (error) {
          if (classifyError(error).kind !== 'transient') throw error; // the API sends these again, too
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    },
    sendOnce,
    handle,
    entries,
    entriesOnce: (nodeId, count) =>
      eventually(
        () => entries(nodeId),
        ({ length }) => length === count,
      ),
    allPublished: (nodeId) =>
      eventually(
        () => handle(nodeId).query(queries.pendingEvents),
        ({ length }) => length === 0,
      ),
    runs: async (nodeId) => {
      const description = await client.workflow.count(`WorkflowId = "${workflowIdOf(nodeId)}"`);
      return description.count;
    },
    stop: async () => {
      await clientConnection.close();
      redis.destroy();
    },
  };
};

const connectRedis = async (url: string) => {
  const redis = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: 500,
    socket: { socketTimeout: 1_500, reconnectStrategy: 200 },
  });
  redis.on('error', () => undefined);
  await redis.connect();
  return redis;
};

/** Asks until `holds`, at most `deadlineMs`; the last answer tells what was wrong. */
export const eventually = async <A>(
  ask: () => Promise<A>,
  holds: (answer: A) => boolean,
  deadlineMs = 20_000,
): Promise<A> => {
  const began = Date.now();
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() - began > deadlineMs)
      throw new Error(`after ${deadlineMs} ms it was still ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** A measurement of a data point, with ids of its own. */
export const measured = (y: number, more: object = {}): object => ({
  name: 'recordMeasurement',
  userId: 'tester',
  measurement: {
    measurementId: randomUUID(),
    createdAt: new Date().toISOString(),
    contentType: 'DATA_POINT',
    dataPoint: { coordinate: { x: 0, y }, xUnit: 's', yUnit: 'C' },
  },
  ...more,
});

/** A threshold of type 2 around 20 to 50, with 10 and 70 outside. */
export const windowed = (more: object = {}): object => ({
  name: 'setThreshold',
  userId: 'tester',
  threshold: { thresholdType: 2, overall: { unit: 'C', outerHigh: 70, innerHigh: 50, innerLow: 20, outerLow: 10 } },
  ...more,
});
