import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Environment } from '../../../stack/environment';
import { portChooser, testPort, type ChoosePort } from '../../../stack/free-ports';
import type { Ground } from '../../../stack/ground';
import type { OwnServer } from '../../../stack/own-server';
import { silent } from '../../../stack/report';
import { bringUpServers, type Servers } from '../../../stack/servers';
import type { ServersPlan } from '../../../stack/servers-plan';
import { startWatchdog } from '../../../stack/watchdog';
import { entries } from '../../../stack/service/start-service';
import { serviceEnvironment } from '../../../stack/service/service-environment';
import { foundCommands } from '../../support/found-commands';
import { nodePart } from './node-part';
import { part, type Part } from './part';
import type { Served, ServiceStack } from './service-stack';
import { tokenSigner } from './token-signer';

/** The service as production starts it: Temporal on a file, Redis with an append-only file, two workers, two APIs. */
export interface Stack extends ServiceStack {
  readonly temporal: Part;
  readonly redis: Part;
  readonly client: Client;
  /** Starts one more worker, of another release and with settings of its own; it is not ready yet. */
  readonly startWorker: (release: Release) => Promise<Served>;
}

/** The entry file of a worker, and its settings beyond the stack's. */
interface Release {
  readonly entry: string;
  readonly env: Environment;
}

export interface StackPlan {
  readonly temporalLimits?: ServersPlan['temporalLimits'];
  /** Settings of the workers and the APIs, beyond those that the stack makes. */
  readonly env?: Environment;
}

/** Brings up a stack; everything goes when it is stopped, or when this process dies. `CHAOS_KEEP=1` keeps files and logs. */
export const startStack = async ({ temporalLimits = 'raised', env = {} }: StackPlan = {}): Promise<Stack> => {
  const folder = await mkdtemp(join(tmpdir(), 'point-alarm-chaos-'));
  const watchdog = startWatchdog();
  if (process.env['CHAOS_KEEP'] === undefined) watchdog.remove(folder);
  const ground: Ground = { report: silent, watchdog, signal: new AbortController().signal };
  const choosePort = portChooser('127.0.0.1');
  const own = { PATH: process.env['PATH'], HOME: process.env['HOME'], DRAIN_MS: '2000', ...env };
  const servers = await bringUpServers(
    {
      env: own,
      folder,
      logs: folder,
      keepRedis: 'synced-file',
      temporalLimits,
      ports: { temporal: testPort(), ui: testPort(), redis: testPort() },
      choosePort,
      commands: foundCommands(process.env),
    },
    ground,
  );
  const stream = `events-${randomUUID()}`;
  const parts = await serviceEnvironment({ ...own, EVENT_STREAM: stream, EVENT_STREAM_MAXLEN: '0' }, servers, folder);
  const start = (kind: 'worker' | 'api', number: number): Promise<Served> =>
    startPart({ kind, number, args: entries[kind], env: parts.env, folder, choosePort }, ground);
  const more: Served[] = [];
  const workers = [await start('worker', 1), await start('worker', 2)] as const;
  const apis = [await start('api', 1), await start('api', 2)] as const;
  await Promise.all([...workers, ...apis].map(({ ready }) => ready()));
  const connection = await Connection.connect({ address: servers.temporal.address });
  return {
    temporal: serverPart('temporal', servers),
    redis: serverPart('redis', servers),
    workers,
    apis,
    redisSettings: { url: servers.redis.url },
    stream,
    folder,
    client: new Client({ connection }),
    signToken: await tokenSigner(join(folder, 'dev-auth')),
    startWorker: async ({ entry, env: settings }) => {
      const args = [...entries.worker.slice(0, -1), entry];
      const plan = { kind: 'worker', number: 3 + more.length, args, folder, choosePort } as const;
      const worker = await startPart({ ...plan, env: { ...parts.env, ...settings } }, ground);
      more.push(worker);
      return worker;
    },
    stop: async () => {
      await connection.close();
      for (const one of [...workers, ...apis, ...more]) await one.kill();
      await servers.stop();
      await watchdog.close();
    },
  };
};

interface ServedPlan {
  readonly kind: 'worker' | 'api';
  readonly number: number;
  readonly args: ReadonlyArray<string>;
  readonly env: Environment;
  readonly folder: string;
  readonly choosePort: ChoosePort;
}

const startPart = async (
  { kind, number, args, env, folder, choosePort }: ServedPlan,
  ground: Ground,
): Promise<Served> => {
  const name = `${kind}-${number}`;
  const port = await choosePort(testPort());
  const url = `http://127.0.0.1:${port}`;
  const ports = { [kind === 'api' ? 'PORT' : 'WORKER_PORT']: String(port) };
  const plan = {
    name,
    args,
    env: { ...env, HOST: '127.0.0.1', ...ports },
    readyUrl: `${url}/readyz`,
    log: join(folder, `${name}.log`),
  };
  return { ...(await nodePart(plan, ground)), url };
};

const serverPart = (name: 'temporal' | 'redis', servers: Servers): Part => {
  const own: OwnServer | undefined = servers[name].own;
  if (own === undefined) throw new Error(`${name} is not ours to hurt`);
  return part({
    name,
    child: own.child,
    startAgain: async () => void (await own.startAgain()), // waits until it answers
    ready: () => Promise.resolve(),
  });
};
