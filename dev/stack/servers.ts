import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import * as E from 'fp-ts/Either';
import { parse } from 'yaml';
import { createLog } from '../../process/log';
import { workerSettings, type RedisSettings } from '../../process/settings';
import { withTimeout } from '../../process/timeout';
import { connectAnswering } from '../../stream/connection';
import { newClient } from '../../stream/redis-connection';
import { setting, type Environment } from './environment';
import { findRedis } from './find-commands';
import { freePort } from './free-ports';
import type { Ground } from './ground';
import { projectRoot } from './project-root';
import { reportedFault, lineOf } from './report';
import { startServer, waitUntil, type Running } from './running';
import { findTemporal } from './temporal-command';

export interface ServersPlan {
  /** The variables from which TEMPORAL_ADDRESS, TEMPORAL_CLI, TEMPORAL_NAMESPACE, REDIS_URL and PATH are read. */
  readonly env: Environment;
  /** The servers keep their state in `temporal/` and `redis/` of this folder. */
  readonly folder: string;
  readonly logs: string;
  /**
   * Where Redis keeps its data: in an append-only file, or only in memory. With `synced-file` it answers a write once the write
   * is on the disk; with `file` a kill may lose up to two seconds (docs/guarantees.md, "What Redis may lose").
   */
  readonly keepRedis: 'file' | 'synced-file' | 'memory';
  /** Temporal's dynamic configuration; by default the limits that an operator must raise (docs/operations.md). */
  readonly dynamicConfig?: Readonly<Record<string, number | boolean>>;
  /** The ports wanted. If one is taken, the next free one is used. By default any free ports. */
  readonly ports?: { readonly temporal: number; readonly ui: number; readonly redis: number };
  /** Paths of commands that were found before. Commands without a path are looked for. */
  readonly commands?: { readonly temporal?: string; readonly redis?: string };
}

const GRACE_MS = 8_000;

/** Brings up Temporal, then Redis; many pairs may run at once. Errors: a `Fault`; then the watchdog ends what was started. */
export const bringUpServers = async (plan: ServersPlan, ground: Ground) => {
  const temporal = await bringUpTemporal(plan, ground);
  const redis = await bringUpRedis(plan, ground);
  /** Stops the servers that were started here, both at once: SIGTERM, and SIGKILL after eight seconds. */
  const stop = async (): Promise<void> => {
    await Promise.all([temporal.own?.stop(GRACE_MS), redis.own?.stop(GRACE_MS)]);
  };
  return { temporal, redis, stop };
};

export type Servers = Awaited<ReturnType<typeof bringUpServers>>;

/** Temporal at `address`. `ui` and `own` are set only if the server was started here. */
export interface Temporal {
  readonly address: string;
  readonly namespace: string;
  readonly ui?: string;
  readonly own?: Running;
}

/** Temporal's limits, raised to what a single node needs, from docker compose's file (docs/operations.md). */
export const raisedLimits = (): Readonly<Record<string, number | boolean>> => {
  const file = readFileSync(join(projectRoot, 'deploy/compose/dynamic-config.yaml'), 'utf8');
  const limits = parse(file) as Readonly<Record<string, readonly [{ readonly value: number | boolean }]>>;
  return Object.fromEntries(Object.entries(limits).map(([key, [{ value }]]) => [key, value]));
};

/** The Temporal at TEMPORAL_ADDRESS. If the variable is not set, a development server is started on 127.0.0.1. */
export const bringUpTemporal = async (plan: ServersPlan, ground: Ground): Promise<Temporal> => {
  const { env, dynamicConfig = raisedLimits() } = plan;
  const namespace = setting(env, 'TEMPORAL_NAMESPACE') ?? 'default';
  const given = setting(env, 'TEMPORAL_ADDRESS');
  if (given !== undefined) {
    const settings = workerSettings(env);
    const probe = async (): Promise<void> => {
      if (E.isLeft(settings)) throw reportedFault(settings.left.join('; ')); // API and worker report it as well
      await connected(settings.right.temporal.connection, ({ workflowService }) => workflowService.getSystemInfo({}));
    };
    await lookForServer({ name: 'temporal', shown: given, setting: 'TEMPORAL_ADDRESS' }, probe, ground);
    return { address: given, namespace };
  }
  const command = plan.commands?.temporal ?? (await findTemporal(env, ground)).path;
  const folder = join(plan.folder, 'temporal');
  let ui = '';
  const own = await startServer(async () => {
    const port = await freePort(plan.ports?.temporal);
    const uiPort = await freePort(plan.ports?.ui);
    const address = `127.0.0.1:${port}`;
    ui = `http://127.0.0.1:${uiPort}`;
    // The path of the database is relative, because the server reads `#`, `?` or `%` in an absolute path as part of a URL.
    const args = [
      ...['--disable-config-file', '--disable-config-env', 'server', 'start-dev', '--headless=false'],
      ...['--log-level=warn', '--ip=127.0.0.1', `--port=${port}`, `--ui-port=${uiPort}`, '--ui-disable-news-fetch'],
      ...[`--namespace=${namespace}`, '--db-filename=temporal.db'],
      ...['--sqlite-pragma=journal_mode=wal', '--sqlite-pragma=synchronous=normal'],
      '--search-attribute=PointAlarmStatus=Int',
      ...Object.entries(dynamicConfig).map(([key, value]) => `--dynamic-config-value=${key}=${String(value)}`),
    ];
    const log = join(plan.logs, 'temporal.log');
    const config = { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) };
    const probe = (): Promise<void> =>
      connected({ address }, ({ workflowService }) => workflowService.updateNamespace({ namespace, config }));
    return { name: 'temporal', command, args, folder, env, log, url: address, port, probe };
  }, ground);
  return { address: own.url, namespace, ui, own };
};

/** How long (ms) Temporal keeps closed runs. The time is short, because nodes continue as new often. */
const RETENTION_MS = 3_600_000;

const connected = async (options: ConnectionOptions, work: (connection: Connection) => Promise<unknown>) => {
  const connection = await Connection.connect({ ...options, connectTimeout: 2_000 });
  await withTimeout(2_000, work(connection)).finally(() => connection.close());
};

/** Redis at `url`. `own` is set only if the server was started here. */
export interface RunningRedis {
  readonly url: string;
  readonly own?: Running;
}

/** The Redis that settings name by URL, sentinels or cluster nodes. Without them, a server is started on 127.0.0.1. */
export const bringUpRedis = async (plan: ServersPlan, ground: Ground): Promise<RunningRedis> => {
  const { env, keepRedis: keep } = plan;
  const name = (['REDIS_SENTINELS', 'REDIS_CLUSTER_NODES', 'REDIS_URL'] as const).find(
    (one) => setting(env, one) !== undefined,
  );
  if (name !== undefined) {
    // API and worker themselves report wrong settings, and certificates that cannot be read.
    const found = workerSettings(env);
    const settings = E.isRight(found) ? found.right.redis : { url: setting(env, 'REDIS_URL') ?? '' };
    const shown = withoutPassword(setting(env, name) ?? '');
    await lookForServer({ name: 'redis', shown, setting: name }, () => pingRedis(settings), ground);
    return { url: settings.url };
  }
  const command = plan.commands?.redis ?? (await findRedis(env, ground));
  const folder = join(plan.folder, 'redis');
  const own = await startServer(async () => {
    const port = await freePort(plan.ports?.redis);
    const url = `redis://127.0.0.1:${port}`;
    const args = [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--daemonize', 'no', '--save', ''],
      ...['--appendonly', keep === 'memory' ? 'no' : 'yes'],
      ...['--appendfsync', keep === 'synced-file' ? 'always' : 'everysec'],
    ];
    const probe = (): Promise<void> => pingRedis({ url });
    return { name: 'redis', command, args, folder, env, log: join(plan.logs, 'redis.log'), url, port, probe };
  }, ground);
  return { url: own.url, own };
};

/**
 * Checks that Redis answers PING within two seconds. If settings name sentinels or cluster nodes, the primary must answer.
 * Errors: it does not answer, or still loads its file.
 */
export const pingRedis = async (settings: RedisSettings): Promise<void> => {
  if (settings.sentinels !== undefined || settings.clusterNodes !== undefined) {
    const log = createLog({ level: 'silent', process: 'stack' });
    const link = await connectAnswering({ ...settings, log, name: 'stack' }, 2_000);
    if (link === undefined) throw new Error('no primary answers');
    return link.close();
  }
  const client = newClient({ ...settings, name: 'stack' });
  try {
    await withTimeout(
      2_000,
      client.connect().then(() => client.ping()),
    );
  } finally {
    client.destroy();
  }
};

export const withoutPassword = (url: string): string => url.replace(/\/\/[^/?#]*@/u, '//***@');

const GIVEN_WITHIN_MS = 5_000;

/** Checks a server that the user's settings name. An unavailable one is only reported, since API and worker wait for it. */
export const lookForServer = async (
  { name, shown, setting }: { readonly name: string; readonly shown: string; readonly setting: string },
  probe: () => Promise<void>,
  { report, signal }: Ground,
): Promise<void> => {
  try {
    await waitUntil(probe, { what: 'it', deadlineMs: GIVEN_WITHIN_MS, signal });
    report(name, `answers at ${shown} (${setting})`);
  } catch (thrown) {
    signal.throwIfAborted();
    report(name, `${shown} (${setting}): ${lineOf(thrown)}; going on, it may come`);
  }
};
