import { join } from 'node:path';
import { Client, Connection, type WorkflowClient } from '@temporalio/client';
import { developmentToken } from '../stack/dev-auth';
import type { Environment } from '../stack/environment';
import { testPort, type ChoosePort } from '../stack/free-ports';
import type { Ground } from '../stack/ground';
import { projectRoot } from '../stack/project-root';
import { startRunning, type Running } from '../stack/running';
import { bringUpServers, type ServersPlan } from '../stack/servers';
import { entries, serviceEnvironment, startNodeProcess } from '../stack/service';
import { BASELINE_TASK_QUEUE, type Job } from './job';

/** The context of every stack of a benchmark. */
export interface BenchGround extends Ground {
  /** The data folder; each stack has a folder in it. */
  readonly folder: string;
  readonly commands: Required<NonNullable<ServersPlan['commands']>>;
  readonly choosePort: ChoosePort;
}

/** What differs from the service as `npm start` brings it up. */
export interface StackPlan extends Pick<ServersPlan, 'temporalLimits' | 'dynamicConfig'> {
  readonly name: string;
  /** Of all processes. */
  readonly env?: Environment;
  /** 1 if absent. */
  readonly workers?: number;
  /** Whether the baseline runs beside it; absent: no. */
  readonly baseline?: boolean;
}

/** The service as production starts it, ready: where its callers, the baseline's and an observer find it. */
export interface BenchStack extends Pick<Job, 'api' | 'token' | 'temporal' | 'processes' | 'files'> {
  readonly workers: ReadonlyArray<string>;
  readonly redis: string;
  readonly stream: string;
  /** Runs `work` with another API, which has a read cache, and stops it; `processes` has it as `api`. */
  readonly withCache: (work: (stack: BenchStack) => Promise<void>) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const READY_WITHIN_MS = 120_000;
const GRACE_MS = 8_000;
const { PATH, HOME } = process.env;

/** Brings up a stack on free ports: the development server on a file, Redis with its file, worker, API, tokens checked. */
export const startBenchStack = async (plan: StackPlan, ground: BenchGround): Promise<BenchStack> => {
  const { name, workers = 1, env, baseline = false, ...limits } = plan;
  const { commands, choosePort } = ground;
  const folder = join(ground.folder, name);
  const own = { PATH, HOME, EVENT_STREAM_MAXLEN: '0', ...env };
  const ports = { temporal: testPort(), ui: testPort(), redis: testPort() };
  const kept = { folder, logs: folder, keepRedis: 'file' } as const;
  const servers = await bringUpServers({ ...kept, ...limits, env: own, ports, choosePort, commands }, ground);
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
    const port = String(await choosePort(testPort()));
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
    const database = join(folder, 'temporal', 'temporal.db');
    const pidsOf = (some: ReadonlyArray<Running | undefined>) => some.flatMap((one) => one?.child().pid ?? []);
    const stack: BenchStack = {
      api: api.url,
      workers: running.map(({ url }) => url),
      temporal: servers.temporal.address,
      redis: servers.redis.url,
      stream: 'point-alarm-events',
      processes: {
        temporal: pidsOf([servers.temporal.own]),
        worker: pidsOf(running),
        api: pidsOf([api]),
        redis: pidsOf([servers.redis.own]),
        ...(baseline && { baseline: pidsOf(entity) }),
      },
      files: [database, `${database}-wal`],
      token: await developmentToken(join(folder, 'dev-auth'), { user: 'bench', ttlSeconds: 86_400 }),
      withCache: async (work) => {
        const other = await start('api', started.length + 1, { READS: 'cache' });
        await work({ ...stack, api: other.url, processes: { ...stack.processes, api: pidsOf([other]) } });
        await other.stop(GRACE_MS);
      },
      stop,
    };
    return stack;
  } catch (thrown) {
    await stop();
    throw thrown;
  }
};

/** The baseline's worker; it is ready once it takes tasks. */
const startBaseline = async (address: string, folder: string, ground: Ground): Promise<Running> => {
  const baseline: Running = await startRunning(
    {
      ...{
        name: 'baseline',
        command: process.execPath,
        args: ['dist/bench/baseline.js', address, BASELINE_TASK_QUEUE],
      },
      ...{ folder: projectRoot, env: { PATH, HOME }, log: join(folder, 'baseline.log'), url: address },
      probe: async () => {
        if (!/^ready$/mu.test(baseline.child().tail())) throw new Error('it is not ready');
      },
    },
    ground,
  );
  return baseline;
};

/** Does `work` with a client of the stack's server, which is closed whatever happens. */
export const withWorkflows = async <A>(
  stack: BenchStack,
  work: (workflows: WorkflowClient) => Promise<A>,
): Promise<A> => {
  const connection = await Connection.connect({ address: stack.temporal });
  try {
    return await work(new Client({ connection }).workflow);
  } finally {
    await connection.close();
  }
};
