import { join } from 'node:path';
import { developmentToken } from '../stack/dev-auth';
import type { Environment } from '../stack/environment';
import { freePort } from '../stack/free-ports';
import type { Ground } from '../stack/ground';
import type { Running } from '../stack/running';
import { bringUpServers, type ServersPlan } from '../stack/servers';
import { entries, serviceEnvironment, startNodeProcess } from '../stack/service';

export interface BenchGround extends Ground {
  /** The data folder; each stack has a folder in it. */
  readonly folder: string;
  readonly commands: Required<NonNullable<ServersPlan['commands']>>;
}

/** What differs from the service as `npm start` brings it up. */
export interface StackPlan extends Pick<ServersPlan, 'dynamicConfig'> {
  readonly name: string;
  readonly env?: Environment;
  /** 1 if absent. */
  readonly workers?: number;
  /** Whether the baseline runs beside it; absent: no. */
  readonly baseline?: boolean;
}

/** The service as production starts it, ready: where its callers, the baseline's and an observer find it. */
export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

const READY_WITHIN_MS = 120_000;
const GRACE_MS = 8_000;
const { PATH, HOME } = process.env;

/**
 * Brings up a stack on free ports: the development server on a file, Redis with its file, worker, API, tokens checked. What was
 * started before an error ends with the watchdog.
 */
export const startBenchStack = async (plan: StackPlan, ground: BenchGround) => {
  const { name: stackName, workers: count = 1, env, baseline: hasBaseline = false, ...limits } = plan;
  const folder = join(ground.folder, stackName);
  const own = { PATH, HOME, EVENT_STREAM_MAXLEN: '0', ...env };
  const kept = { folder, logs: folder, keepRedis: 'file', commands: ground.commands } as const;
  const servers = await bringUpServers({ ...kept, ...limits, env: own }, ground);
  const { temporal, redis } = servers;
  const service = await serviceEnvironment(own, servers, folder);
  const start = async (name: string, args: ReadonlyArray<string>, settings: Environment): Promise<Running> => {
    const port = String(await freePort());
    const place = { url: `http://127.0.0.1:${port}`, log: join(folder, `${name}.log`) };
    const listening = { ...settings, HOST: '127.0.0.1', PORT: port, WORKER_PORT: port };
    const running = await startNodeProcess({ name, args, env: listening, ...place }, ground);
    await running.ready(READY_WITHIN_MS);
    return running;
  };
  const workers: Running[] = [];
  while (workers.length < count) workers.push(await start(`worker-${workers.length + 1}`, entries.worker, service.env));
  const api = await start('api', entries.api, service.env);
  const baselineArgs = ['dist/bench/baseline.js', temporal.address];
  const baseline = hasBaseline ? [await start('baseline', baselineArgs, { PATH, HOME })] : [];
  const file = join(folder, 'temporal', 'temporal.db');
  const pidsOf = (some: ReadonlyArray<Running | undefined>): ReadonlyArray<number> =>
    some.flatMap((one) => one?.child().pid ?? []);
  /** Process ids by name, which are watched; `load` makes the calls. */
  const processes: Readonly<Record<string, ReadonlyArray<number>>> = {
    load: [process.pid],
    API: pidsOf([api]),
    Temporal: pidsOf([temporal.own]),
    worker: pidsOf(workers),
    ...(hasBaseline && { baseline: pidsOf(baseline) }),
    Redis: pidsOf([redis.own]),
  };
  return {
    api: api.url,
    token: await developmentToken(join(folder, 'dev-auth'), { user: 'bench', ttlSeconds: 86_400 }),
    temporal: temporal.address,
    redis: redis.url,
    processes,
    database: [file, `${file}-wal`],
    stop: async (): Promise<void> => {
      await Promise.all([...workers, api, ...baseline].map((running) => running.stop(GRACE_MS)));
      await servers.stop();
    },
  };
};
