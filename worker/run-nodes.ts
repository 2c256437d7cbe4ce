import { setTimeout as sleep } from 'node:timers/promises';
import type { Payload } from '@temporalio/common';
import { NativeConnection, type Worker } from '@temporalio/worker';
import type { PublishActivities } from '../activities/publish-events';
import type { Log } from '../process/log';
import { payloadEncryption } from '../process/payload-encryption';
import type { WorkerSettings } from '../process/settings';
import { within } from '../process/within';
import { backoffMs } from '../process/backoff';
import { reasonOf } from '../process/reason-of';
import { createPointAlarmWorker } from './point-alarm-worker';
import { registerStatusAttribute } from './status-attribute';
import { workflowCode } from './workflow-code';

/** The worker of this process, which may still wait for Temporal. */
export interface RunningNodes {
  /** Whether it runs: neither waiting for Temporal nor stopping. */
  readonly isRunning: () => boolean;
  /** Whether Temporal answers. */
  readonly temporalAnswers: () => Promise<boolean>;
  /** Waits for the tasks in flight, then closes the connection. */
  readonly stop: () => Promise<void>;
  /** Rejects when the worker has failed permanently. */
  readonly ended: Promise<void>;
}

interface Running {
  readonly connection: NativeConnection;
  readonly worker: Worker;
}

const PAUSES = { firstMs: 100, longestMs: 2_000 };
const ANSWERS_WITHIN_MS = 2_000;

/** Runs nodes as soon as Temporal answers, and keeps trying until then: which of the two starts first does not matter. */
export const runNodes = (settings: WorkerSettings, activities: PublishActivities, log: Log): RunningNodes => {
  const stopping = new AbortController();
  let running: Running | undefined;
  const run = async (): Promise<void> => {
    const code = await workflowCode();
    running = await retried(() => start(settings, activities, code, log), log, stopping.signal);
    await running?.worker.run();
  };
  const ended = run();
  return {
    ended,
    isRunning: () => running?.worker.getState() === 'RUNNING',
    temporalAnswers: async () => {
      if (running === undefined) return false;
      return within(ANSWERS_WITHIN_MS, running.connection.workflowService.getSystemInfo({})).then(
        () => true,
        () => false,
      );
    },
    stop: async () => {
      stopping.abort();
      if (running?.worker.getState() === 'RUNNING') running.worker.shutdown();
      await ended;
      await running?.connection.close();
    },
  };
};

const start = async (
  settings: WorkerSettings,
  activities: PublishActivities,
  code: Awaited<ReturnType<typeof workflowCode>>,
  log: Log,
): Promise<Running> => {
  const { namespace, taskQueue, searchAttributes, payloadKeys } = settings.temporal;
  const connection = await NativeConnection.connect(settings.temporal.connection);
  try {
    if (searchAttributes) await registerStatusAttribute(connection, namespace, log);
    const worker = await createPointAlarmWorker({
      connection,
      namespace,
      taskQueue,
      code,
      activities,
      ...(payloadKeys !== undefined && { payloadCodecs: [payloadEncryption(payloadKeys, passOn(log))] }),
      capacity: settings.capacity,
      ...(settings.deployment !== undefined && { deployment: settings.deployment }),
      shutdownDeadlineMs: settings.shutdownDeadlineMs,
    });
    log.info({ address: settings.temporal.connection.address }, 'temporal is available');
    return { connection, worker };
  } catch (error) {
    await connection.close();
    throw error;
  }
};

/** A payload that no key decrypts reaches the node unchanged, which refuses it or waits. */
const passOn =
  (log: Log) =>
  (payload: Payload, why: string): Payload => {
    log.warn({ reason: why }, 'a payload cannot be read');
    return payload;
  };

/** Retries until success or until `signal` aborts; logs each new reason once. */
const retried = async <A>(attempt: () => Promise<A>, log: Log, signal: AbortSignal): Promise<A | undefined> => {
  let logged = '';
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== logged) log.warn({ reason }, 'temporal is unavailable');
      logged = reason;
      await sleep(backoffMs(PAUSES, tries), undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
};
