import { join } from 'node:path';
import { developmentToken } from '../stack/dev-auth';
import type { Environment } from '../stack/environment';
import { freePort } from '../stack/free-ports';
import type { Ground } from '../stack/ground';
import { projectRoot } from '../stack/project-root';
import { startRunning, type Running } from '../stack/running';
import { bringUpServers, type ServersPlan } from '../stack/servers';
import { entries, serviceEnvironment, startNodeProcess } from '../stack/service';
import { BASELINE_TASK_QUEUE } from './calls';

export interface BenchGround extends Ground {
  /** The data folder; each stack has a folder in it. */
  readonly folder: string;
  readonly commands: Required<NonNullable<ServersPlan['commands']>>;
}

/** What differs from the service as `npm start` brings it up. */
export interface StackPlan extends Pick<ServersPlan, 'dynamicConfig'> {
  readonly name: string;
  readonly env?: Environment;
  /** Whether it is measured before it was under load; absent: no. */
  readonly isCold?: boolean;
  /** 1 if absent. */
  readonly workers?: number;
  /** Whether the baseline runs beside it; absent: no. */
  readonly baseline?: boolean;
  /** Whether another API with a read cache runs beside it; absent: no. */
  readonly cache?: boolean;
}

/** The service as production starts it, ready: where its callers, the baseline's and an observer find it. */
export interface BenchStack {
  readonly api: string;
  readonly token: string;
  readonly temporal: string;
  readonly redis: string;
  /** Process ids by name, which are watched; `load` makes the calls. */
  readonly processes: Readonly<Record<string, ReadonlyArray<number>>>;
  readonly database: ReadonlyArray<string>;
  /** The same, by the API that has a read cache. */
  readonly cached: BenchStack | undefined;
  readonly stop: () => Promise<void>;
}

const READY_WITHIN_MS = 120_000;
const GRACE_MS = 8_000;
const { PATH, HOME } = process.env;

/** Brings up a stack on free ports: the development server on a file, Redis with its file, worker, API, tokens checked. */
export const startBenchStack = async (plan: StackPlan, ground: BenchGround): Promise<BenchStack> => {
  const { name, isCold: _, workers = 1, env, baseline = false, cache = false, ...limits } = plan;
  const { commands } = ground;
  const folder = join(ground.folder, name);
  const own = { PATH, HOME, EVENT_STREAM_MAXLEN: '0', ...env };
  const kept = { folder, logs: folder, keepRedis: 'file' } as const;
  const servers = await bringUpServers({ ...kept, ...limits, env: own, commands }, ground);
  const started: Running[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((running) => running.stop(GRACE_MS)));
    await servers.stop();
  };
  const ready = async (running: Running): Promise<Running> => {
    started.push(running);
    await running.ready(READY_WITHIN_MS);
    return running;
  };
  const service = await serviceEnvironment(own, servers, folder);
  const start = async (kind: 'worker' | 'api', number: number, more: Environment = {}): Promise<Running> => {
    const port = String(await freePort());
    const settings = { ...service.env, HOST: '127.0.0.1', PORT: port, WORKER_PORT: port, ...more };
    const log = join(folder, `${kind}-${number}.log`);
    const process = { name: `${kind}-${number}`, args: entries[kind], env: settings, log };
    return ready(await startNodeProcess({ ...process, url: `http://127.0.0.1:${port}` }, ground));
  };
  try {
    const running: Running[] = [];
    for (let number = 1; number <= workers; number += 1) running.push(await start('worker', number));
    const api = await start('api', 1);
    const entity = baseline ? [await ready(await startBaseline(servers.temporal.address, folder, ground))] : [];
    const file = join(folder, 'temporal', 'temporal.db');
    const token = await developmentToken(join(folder, 'dev-auth'), { user: 'bench', ttlSeconds: 86_400 });
    const pidsOf = (some: ReadonlyArray<Running | undefined>) => some.flatMap((one) => one?.child().pid ?? []);
    const stackOf = (called: Running, cached?: BenchStack): BenchStack => ({
      ...{ api: called.url, token, cached, stop },
      ...{ temporal: servers.temporal.address, redis: servers.redis.url },
      processes: {
        load: [process.pid],
        API: pidsOf([called]),
        Temporal: pidsOf([servers.temporal.own]),
        worker: pidsOf(running),
        ...(baseline && { baseline: pidsOf(entity) }),
        Redis: pidsOf([servers.redis.own]),
      },
      database: [file, `${file}-wal`],
    });
    return stackOf(api, cache ? stackOf(await start('api', 2, { READS: 'cache' })) : undefined);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
};

const startBaseline = async (address: string, folder: string, ground: Ground): Promise<Running> => {
  const args = ['dist/bench/baseline.js', address, BASELINE_TASK_QUEUE];
  const log = join(folder, 'baseline.log');
  const plan = { name: 'baseline', command: process.execPath, args, folder: projectRoot, env: { PATH, HOME }, log };
  const probe = async (): Promise<void> => {
    if (!/^ready$/mu.test(baseline.child().tail())) throw new Error('it is not ready');
  };
  const baseline: Running = await startRunning({ ...plan, url: address, probe }, ground);
  return baseline;
};
