import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { inject } from 'vitest';
import { portChooser, testPort } from '../../stack/free-ports';
import { entries } from '../../stack/service';
import { call, type Call, type Reply } from './api/call';
import { ADMIN, createCallers } from './api/callers';
import type { LogRecord } from './recorded-log';
import { eventually } from '../integration/workflows/nodes';
import { runNode } from './run-node';

/** The built API and worker, each a process of its own, on the servers of the run. */
export interface Service {
  readonly api: number;
  readonly worker: number;
  readonly client: Client;
  readonly taskQueue: string;
  readonly stream: string;
  readonly call: (call: Call) => Promise<Reply>;
  /** A token that may do everything. */
  readonly token: () => Promise<string>;
  /** What each process logged so far, record by record. */
  readonly logged: (process: 'api' | 'worker') => ReadonlyArray<LogRecord>;
  /** What it wrote so far, as it is. */
  readonly said: (process: 'api' | 'worker') => string;
  readonly stop: () => Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

/** Starts both with the settings `env`, the worker with `workerEnv` besides, and waits until they are ready. */
export const startService = async (env: Settings = {}, workerEnv: Settings = {}): Promise<Service> => {
  const callers = await createCallers();
  const chooser = portChooser('127.0.0.1');
  const [api, worker] = [await chooser(testPort()), await chooser(testPort())];
  const taskQueue = `observed-${randomUUID()}`;
  const stream = `observed-${randomUUID()}`;
  const shared = {
    PATH: process.env['PATH'],
    HOME: '/nowhere',
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: taskQueue,
    REDIS_URL: inject('redisUrl'),
    EVENT_STREAM: stream,
    DRAIN_MS: '0',
    ...env,
  };
  const parts = {
    api: runNode(entries.api, {
      ...shared,
      PORT: String(api),
      AUTH_JWKS_FILE: callers.jwksFile,
      ...(env['AUTHORIZER_URL'] === undefined && { GRANTS_FILE: callers.grantsFile }),
    }),
    worker: runNode(entries.worker, { ...shared, WORKER_PORT: String(worker), ...workerEnv }),
  };
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const stop = async (): Promise<void> => {
    await Promise.all([parts.api.stop(), parts.worker.stop()]);
    await connection.close();
    await callers.remove();
  };
  try {
    for (const port of [api, worker]) await eventually(() => isReady(port), Boolean, 60_000);
  } catch (error) {
    await stop();
    throw new Error(`not ready: ${parts.api.said()}\n${parts.worker.said()}`, { cause: error });
  }
  return {
    api,
    worker,
    client: new Client({ connection }),
    taskQueue,
    stream,
    call: (one) => call({ port: api, callers }, one),
    token: () => callers.token(ADMIN),
    logged: (name) => parts[name].logged(),
    said: (name) => parts[name].said(),
    stop,
  };
};

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
