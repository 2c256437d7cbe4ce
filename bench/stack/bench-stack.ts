import { join } from 'node:path';
import { developmentToken } from '../../scripts/dev-auth/development-token';
import type { Child } from '../../scripts/stack/child';
import type { Environment } from '../../scripts/stack/environment';
import type { Ground } from '../../scripts/stack/ground';
import { startNodePart } from '../../scripts/stack/node-part';
import { bringUpServers } from '../../scripts/stack/servers';
import type { ServersPlan } from '../../scripts/stack/servers-plan';
import { testPort, type ChoosePort } from '../../scripts/stack/free-ports';
import { entries } from '../../scripts/start/entries';
import { partEnvironment } from '../../scripts/start/part-environment';
import type { Job } from '../load/job';
import { startFloor } from './start-floor';

/** What every stack of a benchmark stands on. */
export interface BenchGround extends Ground {
  /** Everything is kept here; each stack has a folder of its own in it. */
  readonly folder: string;
  readonly commands: Required<NonNullable<ServersPlan['commands']>>;
  readonly choosePort: ChoosePort;
}

/** What differs from the service as `npm start` brings it up. */
export interface StackPlan {
  readonly name: string;
  readonly temporalLimits?: ServersPlan['temporalLimits'];
  readonly dynamicConfig?: ServersPlan['dynamicConfig'];
  /** Of all processes. */
  readonly env?: Environment;
  /** Node's arguments for the worker, and for the API. */
  readonly worker?: ReadonlyArray<string>;
  readonly api?: ReadonlyArray<string>;
  /** 1 if absent. */
  readonly workers?: number;
  /** Whether the floor runs beside it; absent: no. */
  readonly floor?: boolean;
}

/** The service as production starts it, ready. */
export interface BenchStack {
  readonly name: string;
  readonly api: string;
  readonly workers: ReadonlyArray<string>;
  readonly temporal: string;
  readonly redis: string;
  readonly stream: string;
  readonly processes: Job['processes'];
  /** The database of Temporal. */
  readonly files: ReadonlyArray<string>;
  readonly logs: string;
  /** A token of this user, good for a day. */
  readonly token: (user: string) => Promise<string>;
  /** Does `work` with one more API that has settings of its own, and stops it; `processes` has it as `api`. */
  readonly withApi: (env: Environment, work: (stack: BenchStack) => Promise<void>) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const READY_WITHIN_MS = 120_000;
const GRACE_MS = 8_000;

/** Brings up a stack on free ports: the development server on a file, Redis with its file, worker, API, tokens checked. */
export const startBenchStack = async (plan: StackPlan, ground: BenchGround): Promise<BenchStack> => {
  const { commands, choosePort } = ground;
  const folder = join(ground.folder, plan.name);
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], EVENT_STREAM_MAXLEN: '0', ...plan.env };
  const ports = { temporal: testPort(), ui: testPort(), redis: testPort() };
  const limits = {
    temporalLimits: plan.temporalLimits ?? 'raised',
    ...(plan.dynamicConfig !== undefined && { dynamicConfig: plan.dynamicConfig }),
  };
  const started: Child[] = [];
  const servers = await bringUpServers(
    { env, folder, logs: folder, keepRedis: 'file', ...limits, ports, choosePort, commands },
    ground,
  );
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((child) => child.stop(GRACE_MS)));
    await servers.stop();
  };
  const parts = await partEnvironment(env, servers, folder);
  const start = async (kind: 'worker' | 'api', number: number, more: Environment = {}) => {
    const port = await choosePort(testPort());
    const url = `http://127.0.0.1:${port}`;
    const ports = { HOST: '127.0.0.1', PORT: String(port), WORKER_PORT: String(port) };
    const part = await startNodePart(
      {
        name: `${kind}-${number}`,
        args: plan[kind] ?? entries[kind],
        env: { ...parts.env, ...ports, ...more },
        readyUrl: `${url}/readyz`,
        log: join(folder, `${kind}-${number}.log`),
      },
      ground,
    );
    started.push(part.child);
    await part.ready(READY_WITHIN_MS);
    return { url, pid: part.child.pid, stop: () => part.child.stop(GRACE_MS) };
  };
  try {
    const workers = [];
    for (let number = 1; number <= (plan.workers ?? 1); number += 1) workers.push(await start('worker', number));
    const api = await start('api', 1);
    const floor = plan.floor === true ? [await startFloor(servers.temporal.address, folder, ground)] : [];
    started.push(...floor);
    const database = join(folder, 'temporal', 'temporal.db');
    const pidOf = (server: 'temporal' | 'redis') => servers[server].own?.child().pid ?? [];
    const stack: BenchStack = {
      name: plan.name,
      api: api.url,
      workers: workers.map(({ url }) => url),
      temporal: servers.temporal.address,
      redis: servers.redis.url,
      stream: 'point-alarm-events',
      processes: {
        temporal: [pidOf('temporal')].flat(),
        worker: workers.map(({ pid }) => pid),
        api: [api.pid],
        redis: [pidOf('redis')].flat(),
        ...(floor.length > 0 && { floor: floor.map(({ pid }) => pid) }),
      },
      files: [database, `${database}-wal`],
      logs: folder,
      token: (user) => developmentToken(join(folder, 'dev-auth'), { user, ttlSeconds: 86_400 }),
      withApi: async (more, work) => {
        const other = await start('api', started.length + 1, more);
        await work({ ...stack, api: other.url, processes: { ...stack.processes, api: [other.pid] } });
        await other.stop();
      },
      stop,
    };
    return stack;
  } catch (thrown) {
    await stop();
    throw thrown;
  }
};
