import type { Payload } from '@temporalio/common';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { PublishActivities } from '../activities/publish-events';
import type { Log } from '../process/log';
import { payloadEncryption } from '../process/payload-encryption';
import type { WorkerSettings } from '../process/settings';
import { backoffMs, pause } from '../process/backoff';
import { reasonOf } from '../process/reason-of';
import { createReminder } from '../process/reminder';
import { waitForReplacement, SILENT_MS } from '../process/silent-connection';
import { unlessAborted, withTimeout } from '../process/timeout';
import { STATUS_ATTRIBUTE } from '../workflows/messages';
import { taskSlots } from './task-slots';
import { workflowCode } from './workflow-code';

interface Running {
  readonly connection: NativeConnection;
  readonly worker: Worker;
}

const PAUSES = { firstMs: 100, longestMs: 2_000 };

/** Runs nodes as soon as Temporal answers and retries until then, so worker and Temporal may start in either order. */
export const runNodes = (settings: WorkerSettings, activities: PublishActivities, log: Log) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Running | undefined;
  const run = async (): Promise<void> => {
    const startOn = await createWorkerStarter(settings, activities, log);
    const connect = () => NativeConnection.connect(settings.temporal.connection);
    const isSilent = async (connection: NativeConnection) => !(await answers(connection));
    for (;;) {
      running = await retryUntilAborted(async () => startOn(await connect()), log, signal);
      if (running === undefined) return;
      const { connection, worker } = running;
      const over = new AbortController();
      const workerEnded = worker.run().finally(() => over.abort());
      const replaced = waitForReplacement({ connection, connect, isSilent, signal: over.signal });
      const other = await Promise.race([workerEnded, replaced]);
      if (other === undefined) return workerEnded;
      log.warn({}, 'the connection to temporal is silent: it is replaced');
      void shutDownSilentWorker(running, other, workerEnded).catch((error: unknown) => {
        log.warn({ reason: reasonOf(error) }, 'a worker on a silent connection was given up');
      });
    }
  };
  const over = run();
  const isRunning = (): boolean => running?.worker.getState() === 'RUNNING';
  return {
    /** A promise that rejects if the worker fails permanently, but not if it fails while it is being stopped. */
    ended: over.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
    isRunning,
    temporalAnswers: async () => running !== undefined && answers(running.connection),
    /** Waits for the tasks in flight and closes the connection. If Temporal is unavailable, the tasks are given up. */
    stop: async () => {
      stopping.abort();
      if (isRunning()) running?.worker.shutdown();
      const done = new AbortController();
      const ends = over.finally(() => done.abort());
      await (running === undefined
        ? ends
        : Promise.race([ends, untilTemporalUnavailable(running.connection, done.signal)]));
      if (done.signal.aborted) await running?.connection.close();
      else log.warn({}, 'temporal is unavailable: the tasks in flight are given up');
    },
  };
};

/** Interval (ms) at which a stopping worker checks whether Temporal answers. */
const ASKED_EVERY_MS = 500;

/** Resolves once Temporal did not answer twice in a row (once may mean a host that restarts), or once `signal` aborts. */
const untilTemporalUnavailable = async (connection: NativeConnection, signal: AbortSignal): Promise<void> => {
  for (let silences = 0; silences < 2 && !signal.aborted;) {
    silences = (await answers(connection)) ? 0 : silences + 1;
    await pause(ASKED_EVERY_MS, signal);
  }
};

/** Creates a function that starts a worker on a connection, and closes the connection if the start fails. */
const createWorkerStarter = async (settings: WorkerSettings, activities: PublishActivities, log: Log) => {
  const { namespace, taskQueue, searchAttributes, payloadKeys } = settings.temporal;
  // A payload that no key decrypts reaches the node unchanged. The node refuses it, or waits for a worker with the key.
  const passOn = (payload: Payload, why: string): Payload => {
    log.warn({ reason: why }, 'a payload cannot be read');
    return payload;
  };
  const payloadCodecs = payloadKeys === undefined ? [] : [payloadEncryption(payloadKeys, passOn)];
  const workflowBundle = await workflowCode();
  const options = { namespace, taskQueue, workflowBundle, activities, dataConverter: { payloadCodecs } };
  return async (connection: NativeConnection): Promise<Running> => {
    try {
      if (searchAttributes) await registerStatusAttribute(connection, namespace, log);
      const worker = await createPointAlarmWorker({ connection, ...options }, settings);
      log.info({ address: settings.temporal.connection.address }, 'temporal is available');
      return { connection, worker };
    } catch (error) {
      await connection.close();
      throw error;
    }
  };
};

/** Grace period (ms) in which publications in flight may end once the worker stops. */
const GRACE_MS = 2_000;

/** Creates the worker that runs nodes. `options` hold what `settings` lack: the connection, workflow code and activities. */
export const createPointAlarmWorker = (options: WorkerOptions, settings: WorkerSettings): Promise<Worker> =>
  Worker.create({
    ...options,
    ...versioned(settings),
    maxCachedWorkflows: settings.MAX_CACHED_WORKFLOWS,
    tuner: {
      workflowTaskSlotSupplier: taskSlots(settings.MAX_CONCURRENT_WORKFLOW_TASKS),
      activityTaskSlotSupplier: fixed(settings.MAX_CONCURRENT_ACTIVITIES),
      localActivityTaskSlotSupplier: fixed(1), // nodes have no local activities
      nexusTaskSlotSupplier: fixed(1),
    },
    maxConcurrentWorkflowTaskPolls: settings.WORKFLOW_TASK_POLLERS,
    maxConcurrentActivityTaskPolls: settings.ACTIVITY_POLLERS,
    // After a worker crashed, its nodes wait this long before another worker takes them over.
    stickyQueueScheduleToStartTimeout: settings.STICKY_TIMEOUT_MS,
    // The SDK delays heartbeats by up to this time. A node that has to continue as new cancels its publish activity, and the
    // activity learns this only from the answer to a heartbeat.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: Math.min(GRACE_MS, settings.SHUTDOWN_DEADLINE_MS / 2),
    shutdownForceTime: settings.SHUTDOWN_DEADLINE_MS,
  });

const fixed = (numSlots: number) => ({ type: 'fixed-size', numSlots }) as const;

/** With worker versioning, nodes move to the current version at their next task (docs/contributing/worker-versions.md). */
const versioned = ({
  WORKER_DEPLOYMENT: deploymentName,
  WORKER_BUILD_ID: buildId,
}: WorkerSettings): Pick<WorkerOptions, 'workerDeploymentOptions'> =>
  deploymentName === undefined || buildId === undefined
    ? {}
    : {
        workerDeploymentOptions: {
          version: { deploymentName, buildId },
          useWorkerVersioning: true,
          defaultVersioningBehavior: 'AUTO_UPGRADE',
        },
      };

const answers = (connection: NativeConnection): Promise<boolean> =>
  withTimeout(SILENT_MS, connection.workflowService.getSystemInfo({})).then(
    () => true,
    () => false,
  );

/**
 * Shuts down a worker whose connection went silent. Over the new connection `other`, the worker completes its tasks and reports
 * its shutdown, so that the server forgets its polls. Otherwise the server would go on giving tasks to these polls.
 */
const shutDownSilentWorker = async (
  { worker, connection }: Running,
  other: NativeConnection,
  ended: Promise<void>,
): Promise<void> => {
  try {
    worker.connection = other;
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended;
  } finally {
    await Promise.allSettled([connection.close(), other.close()]);
  }
};

const REGISTERS_WITHIN_MS = 10_000;
const INT = 3;
const ALREADY_EXISTS = 6;

/** Registers the search attribute for the status of nodes. If this fails, as it does without permission, logs what to do. */
const registerStatusAttribute = async ({ operatorService }: NativeConnection, namespace: string, log: Log) => {
  try {
    const searchAttributes = { [STATUS_ATTRIBUTE]: INT };
    await withTimeout(REGISTERS_WITHIN_MS, operatorService.addSearchAttributes({ namespace, searchAttributes }));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === ALREADY_EXISTS) return;
    log.warn(
      { reason: reasonOf(error), attribute: STATUS_ATTRIBUTE },
      'could not register the search attribute: have it registered, or set TEMPORAL_SEARCH_ATTRIBUTES=off',
    );
  }
};

/** Calls `attempt` until it succeeds or `signal` aborts. Logs a failure if its reason is new, and otherwise once per minute. */
const retryUntilAborted = async <A>(
  attempt: () => Promise<A>,
  log: Log,
  signal: AbortSignal,
): Promise<A | undefined> => {
  let logged = '';
  const reminder = createReminder();
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      return await unlessAborted<A | undefined>(signal, attempt(), () => undefined);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== logged) reminder.end();
      if (reminder.isDue()) log.warn({ reason }, 'temporal is unavailable');
      logged = reason;
      await pause(backoffMs(PAUSES, tries), signal);
    }
  }
  return undefined;
};
