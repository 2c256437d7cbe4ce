import { join } from 'node:path';
import { Client, Connection, type WorkflowClient } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { startChild, type Child } from '../stack/child';
import { developmentToken } from '../stack/dev-auth';
import type { Environment } from '../stack/environment';
import { testPort, type ChoosePort } from '../stack/free-ports';
import type { Ground } from '../stack/ground';
import { type ServersPlan, bringUpServers } from '../stack/servers';
import { projectRoot } from '../stack/project-root';
import { serviceEnvironment, entries, startNodeProcess } from '../stack/service';
import { waitUntil } from '../stack/running';
import { workflowIdOf } from '../workflows/names';
import { BASELINE_TASK_QUEUE, type Job } from './load/job';

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

/** The service as production starts it, ready. */
export interface BenchStack {
  readonly api: string;
  readonly workers: ReadonlyArray<string>;
  readonly temporal: string;
  readonly redis: string;
  readonly stream: string;
  readonly processes: Job['processes'];
  /** The database of Temporal. */
  readonly files: ReadonlyArray<string>;
  /** A token of this user, good for a day. */
  readonly token: (user: string) => Promise<string>;
  /** Runs `work` with another API of other settings, and stops it; `processes` has it as `api`. */
  readonly withApi: (env: Environment, work: (stack: BenchStack) => Promise<void>) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const READY_WITHIN_MS = 120_000;
const GRACE_MS = 8_000;

/** Brings up a stack on free ports: the development server on a file, Redis with its file, worker, API, tokens checked. */
export const startBenchStack = async (plan: StackPlan, ground: BenchGround): Promise<BenchStack> => {
  const { commands, choosePort } = ground;
  const { name, temporalLimits = 'raised', dynamicConfig = {} } = plan;
  const folder = join(ground.folder, name);
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], EVENT_STREAM_MAXLEN: '0', ...plan.env };
  const ports = { temporal: testPort(), ui: testPort(), redis: testPort() };
  const kept = { folder, logs: folder, keepRedis: 'file' } as const;
  const servers = await bringUpServers(
    { ...kept, env, temporalLimits, dynamicConfig, ports, choosePort, commands },
    ground,
  );
  const started: Array<Pick<Child, 'stop'>> = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((child) => child.stop(GRACE_MS)));
    await servers.stop();
  };
  const start = async (kind: 'worker' | 'api', number: number, more: Environment = {}) => {
    const port = await choosePort(testPort());
    const url = `http://127.0.0.1:${port}`;
    const process = await startNodeProcess(
      {
        name: `${kind}-${number}`,
        args: entries[kind],
        env: { ...service.env, HOST: '127.0.0.1', PORT: String(port), WORKER_PORT: String(port), ...more },
        url,
        log: join(folder, `${kind}-${number}.log`),
      },
      ground,
    );
    started.push(process);
    await process.ready(READY_WITHIN_MS);
    return { url, pid: process.child().pid, stop: () => process.stop(GRACE_MS) };
  };
  const service = await serviceEnvironment(env, servers, folder);
  try {
    const workers = [];
    for (let number = 1; number <= (plan.workers ?? 1); number += 1) workers.push(await start('worker', number));
    const api = await start('api', 1);
    const baseline = plan.baseline === true ? [await startBaseline(servers.temporal.address, folder, ground)] : [];
    started.push(...baseline);
    const database = join(folder, 'temporal', 'temporal.db');
    const pidsOf = (server: 'temporal' | 'redis') => [servers[server].own?.child().pid ?? []].flat();
    const stack: BenchStack = {
      api: api.url,
      workers: workers.map(({ url }) => url),
      temporal: servers.temporal.address,
      redis: servers.redis.url,
      stream: 'point-alarm-events',
      processes: {
        temporal: pidsOf('temporal'),
        worker: workers.map(({ pid }) => pid),
        api: [api.pid],
        redis: pidsOf('redis'),
        ...(baseline.length > 0 && { baseline: baseline.map(({ pid }) => pid) }),
      },
      files: [database, `${database}-wal`],
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

/** Starts the baseline's worker, and waits until it takes tasks. */
const startBaseline = async (address: string, folder: string, ground: Ground): Promise<Child> => {
  const args = ['dist/bench/baseline/main.js', address, BASELINE_TASK_QUEUE];
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const log = join(folder, 'baseline.log');
  const plan = { name: 'baseline', command: process.execPath, args, folder: projectRoot, env, log };
  const child = await startChild(plan, ground.watchdog);
  const ready = (): Promise<void> =>
    /^ready$/mu.test(child.tail()) ? Promise.resolve() : Promise.reject(new Error('it is not ready'));
  await waitUntil(ready, { what: 'the baseline', deadlineMs: READY_WITHIN_MS, signal: ground.signal, child });
  return child;
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

/** Times of the steps of a workflow task by the server (epoch ms). */
export interface TaskTimes {
  readonly scheduled: number;
  readonly begun: number;
  readonly committed: number;
}

const { EventType } = temporal.api.enums.v1;

/** The times of a node's last workflow task, by its history. */
export const lastTaskOf = async (workflow: WorkflowClient, nodeID: string): Promise<TaskTimes> => {
  const { events } = await workflow.getHandle(workflowIdOf(nodeID)).fetchHistory();
  const timeOf = (type: temporal.api.enums.v1.EventType): number => {
    const { seconds, nanos } = events?.findLast(({ eventType }) => eventType === type)?.eventTime ?? {};
    return Number(seconds ?? NaN) * 1_000 + (nanos ?? 0) / 1e6;
  };
  return {
    scheduled: timeOf(EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED),
    begun: timeOf(EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED),
    committed: timeOf(EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED),
  };
};

/** ms since the epoch, with fractions. */
export const now = (): number => performance.timeOrigin + performance.now();
