import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { inject } from 'vitest';
import { freePort } from '../../dev/stack/free-ports';
import type { Running } from '../../dev/stack/running';
import { entries, startNodeProcess } from '../../dev/stack/service';
import { call, type Call, type Reply } from './api/call';
import { ADMIN, createCallers } from './api/callers';
import { openGround } from './ground';
import type { LogRecord } from './recorded-log';
import { recordsOf } from './run-node';
import { watchProcesses } from './watched-processes';

/** The built API and worker, each a process of its own, on the servers of the run. */
export interface Service {
  readonly api: number;
  readonly worker: number;
  /** The process id of the API. */
  readonly apiPid: number;
  readonly client: Client;
  readonly taskQueue: string;
  readonly stream: string;
  readonly call: (call: Call) => Promise<Reply>;
  /** A token, by default of a user who may do everything. */
  readonly token: (userId?: string) => Promise<string>;
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
  const ground = openGround('service');
  const ports = { api: await freePort(), worker: await freePort() };
  const taskQueue = `observed-${randomUUID()}`;
  const stream = `observed-${randomUUID()}`;
  const settings = {
    PATH: process.env['PATH'],
    HOME: '/nowhere',
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: taskQueue,
    REDIS_URL: inject('redisUrl'),
    EVENT_STREAM: stream,
    DRAIN_MS: '0',
    PORT: String(ports.api),
    WORKER_PORT: String(ports.worker),
    AUTH_JWKS_FILE: callers.jwksFile,
    ...(env['AUTHORIZER_URL'] === undefined && { GRANTS_FILE: callers.grantsFile }),
    ...env,
  };
  const logOf = (name: 'api' | 'worker'): string => join(ground.folder, `${name}.log`);
  const start = (name: 'api' | 'worker', more: Settings): Promise<Running> => {
    const plan = { name, args: entries[name], env: { ...settings, ...more }, log: logOf(name) };
    return startNodeProcess({ ...plan, url: `http://127.0.0.1:${ports[name]}` }, ground);
  };
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const api = await start('api', {});
  const worker = await start('worker', workerEnv);
  const both = [api, worker];
  const stop = async (): Promise<void> => {
    await Promise.all(both.map((process) => process.kill()));
    await connection.close();
    await ground.close();
    await callers.remove();
  };
  try {
    await Promise.all(both.map((process) => process.ready()));
  } catch (error) {
    await stop();
    throw error;
  }
  const watch = watchProcesses([api], [worker]);
  const said = (name: 'api' | 'worker'): string => readFileSync(logOf(name), 'utf8');
  return {
    ...ports,
    apiPid: api.child().pid,
    client: new Client({ connection }),
    taskQueue,
    stream,
    call: (one) => call({ port: ports.api, callers }, one),
    token: (userId = ADMIN) => callers.token(userId),
    logged: (name) => recordsOf(said(name)),
    said,
    stop: () => watch.stop(stop),
  };
};
