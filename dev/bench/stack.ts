import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
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

/** How a stack differs from the service that `npm start` brings up. */
export interface StackPlan extends Pick<ServersPlan, 'dynamicConfig'> {
  readonly name: string;
  readonly env?: Environment;
  /** How many workers run; by default 1. */
  readonly workers?: number;
  /** Whether the baseline runs beside the service; by default it does not. */
  readonly baseline?: boolean;
  /** How Redis keeps its data; by default as `npm start` does, without a sync for each append. */
  readonly keepRedis?: ServersPlan['keepRedis'];
  /** A checkout of the previous release. If set, that release runs beside the service, in a Temporal namespace of its own. */
  readonly before?: string;
}

/** A ready service, started as in production, with the addresses for its callers, the baseline's callers and observers. */
export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

const READY_WITHIN_MS = 120_000;
const GRACE_MS = 8_000;
const { PATH, HOME } = process.env;

/**
 * Brings up a stack on free ports: Temporal's development server and Redis, both with files, the workers, and an API that
 * checks tokens. After an error, the watchdog ends what was started.
 */
export const startBenchStack = async (plan: StackPlan, ground: BenchGround) => {
  const {
    name: stackName,
    workers: count = 1,
    env,
    baseline: hasBaseline = false,
    keepRedis = 'file',
    before,
    ...limits
  } = plan;
  const folder = join(ground.folder, stackName);
  const own = { PATH, HOME, EVENT_STREAM_MAXLEN: '0', ...env };
  const kept = { folder, logs: folder, keepRedis, commands: ground.commands } as const;
  const servers = await bringUpServers({ ...kept, ...limits, env: own }, ground);
  const { temporal, redis } = servers;
  const service = await serviceEnvironment(own, servers, folder);
  const start: Start = async (name, args, settings, checkout) => {
    const port = String(await freePort());
    const place = { url: `http://127.0.0.1:${port}`, log: join(folder, `${name}.log`) };
    const listening = { ...settings, HOST: '127.0.0.1', PORT: port, WORKER_PORT: port };
    const running = await startNodeProcess(
      { name, args, env: listening, ...place, ...(checkout !== undefined && { checkout }) },
      ground,
    );
    await running.ready(READY_WITHIN_MS);
    return running;
  };
  const workers: Running[] = [];
  while (workers.length < count) workers.push(await start(`worker-${workers.length + 1}`, entries.worker, service.env));
  const api = await start('api', entries.api, service.env);
  const baselineArgs = ['dist/dev/bench/baseline.js', temporal.address];
  const baseline = hasBaseline ? [await start('baseline', baselineArgs, { PATH, HOME })] : [];
  const older = before === undefined ? [] : await startBefore(before, temporal.address, service.env, start);
  const file = join(folder, 'temporal', 'temporal.db');
  const pidsOf = (some: ReadonlyArray<Running | undefined>): ReadonlyArray<number> =>
    some.flatMap((one) => one?.child().pid ?? []);
  /** The ids of the processes whose use of the machine is measured. `load` is this process, which makes the calls. */
  const processes: Readonly<Record<string, ReadonlyArray<number>>> = {
    load: [process.pid],
    API: pidsOf([api]),
    Temporal: pidsOf([temporal.own]),
    worker: pidsOf(workers),
    ...(hasBaseline && { baseline: pidsOf(baseline) }),
    ...(before !== undefined && { before: pidsOf(older) }),
    Redis: pidsOf([redis.own]),
  };
  return {
    api: api.url,
    /** The URL of the previous release's API; undefined if that does not run. */
    before: older.at(-1)?.url,
    token: await developmentToken(join(folder, 'dev-auth'), { user: 'bench', ttlSeconds: 86_400 }),
    temporal: temporal.address,
    redis: redis.url,
    processes,
    database: [file, `${file}-wal`],
    stop: async (): Promise<void> => {
      await Promise.all([...workers, api, ...baseline, ...older].map((running) => running.stop(GRACE_MS)));
      await servers.stop();
    },
  };
};

type Start = (name: string, args: ReadonlyArray<string>, settings: Environment, checkout?: string) => Promise<Running>;

/** Starts worker and API of the previous release's checkout, on the same servers. */
const startBefore = async (checkout: string, address: string, env: Environment, start: Start) => {
  const namespace = 'before';
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(3_600_000),
    });
  } finally {
    await connection.close();
  }
  const settings = { ...env, TEMPORAL_NAMESPACE: namespace, EVENT_STREAM: namespace };
  const begin = (name: string, args: ReadonlyArray<string>) => start(`${name}-${namespace}`, args, settings, checkout);
  return [await begin('worker', entries.worker), await begin('api', entries.api)];
};
