import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { RedisSettings } from '../../../process/settings';
import type { Environment } from '../../../dev/stack/environment';
import { freePort } from '../../../dev/stack/free-ports';
import type { Running } from '../../../dev/stack/running';
import { bringUpServers, type Servers, type ServersPlan } from '../../../dev/stack/servers';
import { entries, startNodeProcess, serviceEnvironment } from '../../../dev/stack/service';
import { openGround } from '../../support/ground';
import { watchProcesses } from '../../support/watched-processes';
import { tokenSigner, type SignToken } from './token-signer';

/** What callers and their judge need of a stack, wherever it runs: two addresses of its API, and the stream of its events. */
export interface CalledStack {
  readonly apis: readonly [Pick<Running, 'url'>, Pick<Running, 'url'>];
  /** The authority of the APIs' certificates, PEM; absent: they speak plain HTTP. */
  readonly ca?: string;
  /** How a consumer of the stream finds Redis. */
  readonly redisSettings: RedisSettings;
  readonly stream: string;
  /** Its logs lie in it. */
  readonly folder: string;
  readonly signToken: SignToken;
  readonly stop: () => Promise<void>;
}

/** What every stack of processes of ours has, on one machine or on many: two workers and two APIs. */
export interface ServiceStack extends CalledStack {
  readonly workers: readonly [Running, Running];
  readonly apis: readonly [Running, Running];
}

/** The service as production starts it: Temporal on a file, Redis with an append-only file, two workers, two APIs. */
export interface Stack extends ServiceStack {
  readonly temporal: Running;
  readonly redis: Running;
  readonly client: Client;
  /** Starts one more worker, of another release and with settings of its own; it is not ready yet. */
  readonly startWorker: (release: Release) => Promise<Running>;
}

/** The entry file of a worker, and its settings beyond the stack's. */
type Release = { readonly entry: string; readonly env: Environment };

export interface StackPlan extends Pick<ServersPlan, 'dynamicConfig'> {
  /** Settings of the workers and the APIs, beyond those that the stack makes. */
  readonly env?: Environment;
}

/** Brings up a stack; everything goes when it is stopped, or when this process dies. `CHAOS_KEEP=1` keeps files and logs. */
export const startStack = async ({ env = {}, ...temporal }: StackPlan = {}): Promise<Stack> => {
  const ground = openGround('chaos', process.env['CHAOS_KEEP'] !== undefined);
  const { folder } = ground;
  const { PATH, HOME } = process.env;
  const own = { PATH, HOME, DRAIN_MS: '2000', ...env };
  const servers = await bringUpServers({ ...ground.servers, env: own, keepRedis: 'synced-file', ...temporal }, ground);
  const stream = `events-${randomUUID()}`;
  const service = await serviceEnvironment({ ...own, EVENT_STREAM: stream, EVENT_STREAM_MAXLEN: '0' }, servers, folder);
  const started: Running[] = [];
  const start = async (name: string, args: ReadonlyArray<string>, settings: Environment = {}): Promise<Running> => {
    const port = String(await freePort());
    const listen = { HOST: '127.0.0.1', [name.startsWith('api') ? 'PORT' : 'WORKER_PORT']: port };
    const plan = { name, args, url: `http://127.0.0.1:${port}`, log: join(folder, `${name}.log`) };
    const running = await startNodeProcess({ ...plan, env: { ...service.env, ...settings, ...listen } }, ground);
    started.push(running);
    return running;
  };
  const workers = [await start('worker-1', entries.worker), await start('worker-2', entries.worker)] as const;
  const apis = [await start('api-1', entries.api), await start('api-2', entries.api)] as const;
  await Promise.all(started.map(({ ready }) => ready()));
  const watch = watchProcesses(apis, workers);
  const connection = await Connection.connect({ address: servers.temporal.address });
  return {
    temporal: ours('temporal', servers),
    redis: ours('redis', servers),
    workers,
    apis,
    redisSettings: { url: servers.redis.url },
    stream,
    folder,
    client: new Client({ connection }),
    signToken: await tokenSigner(join(folder, 'dev-auth')),
    startWorker: async ({ entry, env: settings }) => {
      const worker = await start(`worker-${started.length}`, [...entries.worker.slice(0, -1), entry], settings);
      watch.add(worker);
      return worker;
    },
    stop: () =>
      watch.stop(async () => {
        await connection.close();
        for (const one of started) await one.kill();
        await servers.stop();
        await ground.close();
      }),
  };
};

const ours = (name: 'temporal' | 'redis', servers: Servers): Running => {
  const { own } = servers[name];
  if (own === undefined) throw new Error(`${name} is not ours to hurt`);
  return own;
};
