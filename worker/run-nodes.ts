import type { Payload } from '@temporalio/common';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { PublishActivities } from '../activities/activities';
import type { Log } from '../process/log';
import { payloadEncryption } from '../process/payload-encryption';
import type { WorkerSettings } from '../process/settings';
import { backoffMs, pause } from '../process/backoff';
import { reasonOf } from '../process/reason-of';
import { createReminder } from '../process/reminder';
import { replacementOf, SILENT_MS } from '../process/silent-connection';
import { within } from '../process/within';
import { STATUS_ATTRIBUTE } from '../workflows/messages';
import { workflowCode } from './workflow-code';

interface Running {
  readonly connection: NativeConnection;
  readonly worker: Worker;
}

const PAUSES = { firstMs: 100, longestMs: 2_000 };

/** Runs nodes as soon as Temporal answers, and keeps trying until then: which of the two starts first does not matter. */
export const runNodes = (settings: WorkerSettings, activities: PublishActivities, log: Log) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Running | undefined;
  const run = async (): Promise<void> => {
    const startOn = await starter(settings, activities, log);
    const connect = () => NativeConnection.connect(settings.temporal.connection);
    const isSilent = async (connection: NativeConnection) => !(await answers(connection));
    for (;;) {
      running = await retried(async () => startOn(await connect()), log, signal);
      if (running === undefined) return;
      const { connection, worker } = running;
      const over = new AbortController();
      const workerEnded = worker.run().finally(() => over.abort());
      const replaced = replacementOf({ connection, connect, isSilent, signal: over.signal });
      const other = await Promise.race([workerEnded, replaced]);
      if (other === undefined) return workerEnded;
      log.warn({}, 'the connection to temporal is silent: it is replaced');
      void leave(running, other, workerEnded).catch((error: unknown) => {
        log.warn({ reason: reasonOf(error) }, 'a worker on a silent connection was given up');
      });
    }
  };
  const over = run();
  const isRunning = (): boolean => running?.worker.getState() === 'RUNNING';
  return {
    /** Rejects when the worker has failed permanently, unless it was to stop. */
    ended: over.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
    isRunning,
    temporalAnswers: async () => running !== undefined && answers(running.connection),
    /** Waits for the tasks in flight, then closes the connection. Where Temporal is gone it waits for nothing: nobody takes them. */
    stop: async () => {
      stopping.abort();
      if (isRunning()) running?.worker.shutdown();
      const done = new AbortController();
      const ends = over.finally(() => done.abort());
      await (running === undefined ? ends : Promise.race([ends, untilGone(running.connection, done.signal)]));
      if (done.signal.aborted) await running?.connection.close();
      else log.warn({}, 'temporal is unavailable: the tasks in flight are given up');
    },
  };
};

/** Time (ms) between two questions to Temporal while the worker stops. */
const ASKED_EVERY_MS = 500;

/** Resolves once Temporal did not answer twice in a row, for a host may restart; or once `signal` aborts. */
const untilGone = async (connection: NativeConnection, signal: AbortSignal): Promise<void> => {
  for (let silences = 0; silences < 2 && !signal.aborted;) {
    silences = (await answers(connection)) ? 0 : silences + 1;
    await pause(ASKED_EVERY_MS, signal);
  }
};

/** What starts a worker on a connection, or closes that. */
const starter = async (settings: WorkerSettings, activities: PublishActivities, log: Log) => {
  const { namespace, taskQueue, searchAttributes, payloadKeys } = settings.temporal;
  // A payload that no key decrypts reaches the node unchanged, which refuses it or waits.
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

/** Grace period (ms) for waiting publications to end once the worker stops. */
const GRACE_MS = 2_000;

/** The worker of the nodes, on what `options` say beyond its settings: connection, task queue, code, activities, codecs. */
export const createPointAlarmWorker = (options: WorkerOptions, settings: WorkerSettings): Promise<Worker> =>
  Worker.create({
    ...options,
    ...versioned(settings),
    maxCachedWorkflows: settings.MAX_CACHED_WORKFLOWS,
    maxConcurrentWorkflowTaskExecutions: settings.MAX_CONCURRENT_WORKFLOW_TASKS,
    maxConcurrentWorkflowTaskPolls: settings.WORKFLOW_TASK_POLLERS,
    maxConcurrentActivityTaskExecutions: settings.MAX_CONCURRENT_ACTIVITIES,
    maxConcurrentActivityTaskPolls: settings.ACTIVITY_POLLERS,
    // After a crash a node waits this long before another worker takes it over.
    stickyQueueScheduleToStartTimeout: settings.STICKY_TIMEOUT_MS,
    // The heartbeat's answer cancels a waiting publication of a node that wants to continue as new.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: Math.min(GRACE_MS, settings.SHUTDOWN_DEADLINE_MS / 2),
    shutdownForceTime: settings.SHUTDOWN_DEADLINE_MS,
  });

/** Nodes move to the deployment's current version at their next task (docs/contributing/worker-versions.md). */
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
  within(SILENT_MS, connection.workflowService.getSystemInfo({})).then(
    () => true,
    () => false,
  );

/**
 * Ends a worker whose connection went silent, by `other`: what it has in hand is handed in, and the server forgets its polls,
 * to which it would go on giving tasks.
 */
const leave = async ({ worker, connection }: Running, other: NativeConnection, ended: Promise<void>): Promise<void> => {
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

/** Registers the search attribute for nodes by status; without the permission it logs the command to run. */
const registerStatusAttribute = async ({ operatorService }: NativeConnection, namespace: string, log: Log) => {
  try {
    const searchAttributes = { [STATUS_ATTRIBUTE]: INT };
    await within(REGISTERS_WITHIN_MS, operatorService.addSearchAttributes({ namespace, searchAttributes }));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === ALREADY_EXISTS) return;
    log.warn(
      { reason: reasonOf(error), attribute: STATUS_ATTRIBUTE },
      'could not register the search attribute: have it registered, or set TEMPORAL_SEARCH_ATTRIBUTES=off',
    );
  }
};

/** What `work` comes to; undefined as soon as `signal` is aborted. It leaves nothing at the signal. */
const unlessAborted = <A>(work: Promise<A>, signal: AbortSignal): Promise<A | undefined> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(undefined);
    signal.addEventListener('abort', giveUp, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });

/** Retries until success or until it is to stop, which gives up an attempt in flight; logs each new reason, and the last one each minute. */
const retried = async <A>(attempt: () => Promise<A>, log: Log, signal: AbortSignal): Promise<A | undefined> => {
  let logged = '';
  const reminder = createReminder();
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      return await unlessAborted(attempt(), signal);
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
