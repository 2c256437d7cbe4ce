import { Connection, type ConnectionOptions } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { join } from 'node:path';
import { definedIn, setting } from './environment';
import { findTemporal } from './temporal-command';
import type { Ground, ServersPlan } from './ground';
import { lookForServer, startServer, type Running } from './running';
import { within } from '../process/within';

/** Temporal at `address`; `ui` and `own` only when it is ours. */
export interface Temporal {
  readonly address: string;
  readonly namespace: string;
  readonly ui?: string;
  readonly own?: Running;
}

/** A single node takes more than the server's defaults allow; see docs/operations.md for the same on another server. */
export const DYNAMIC_CONFIG = {
  'frontend.rps': 100_000,
  'frontend.namespaceRPS': 100_000,
  'frontend.namespaceCount': 100_000,
  'frontend.persistenceMaxQPS': 100_000,
  // A worker that stops would otherwise take tasks with it; their nodes wait for the time-out (docs/operations.md).
  'frontend.enableCancelWorkerPollsOnShutdown': true,
  'matching.rps': 100_000,
  'matching.persistenceMaxQPS': 100_000,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'history.rps': 100_000,
  'history.persistenceMaxQPS': 100_000,
  // The server caches so many runs, 100 KB each, closed ones among them; its own limit is 128,000.
  'history.hostLevelCacheMaxSize': 20_000,
  'history.maxInFlightUpdates': 1_000,
  'history.transferProcessorMaxPollRPS': 500,
  // Seconds that a lost task's time-out may grow: by default to ten minutes, in which its node takes no calls.
  'history.workflowTaskRetryMaxInterval': 10,
  'system.enableActivityEagerExecution': true,
} as const;

/** The Temporal of TEMPORAL_ADDRESS, else a development server of our own on loopback. */
export const bringUpTemporal = async (plan: ServersPlan, ground: Ground): Promise<Temporal> => {
  const { env, temporalLimits = 'raised', dynamicConfig = {} } = plan;
  const namespace = setting(env, 'TEMPORAL_NAMESPACE') ?? 'default';
  const given = setting(env, 'TEMPORAL_ADDRESS');
  if (given !== undefined) {
    const probe = async (): Promise<void> => {
      const { connectionOptions } = loadClientConnectConfig({ overrideEnvVars: definedIn(env) });
      await connected(connectionOptions, ({ workflowService }) => workflowService.getSystemInfo({}));
    };
    await lookForServer({ name: 'temporal', shown: given, setting: 'TEMPORAL_ADDRESS' }, probe, ground);
    return { address: given, namespace };
  }
  const command = plan.commands?.temporal ?? (await findTemporal(env, ground)).path;
  const folder = join(plan.folder, 'temporal');
  const configured = { ...(temporalLimits === 'raised' && DYNAMIC_CONFIG), ...dynamicConfig };
  const started = await startServer(async () => {
    const port = await plan.choosePort(plan.ports.temporal);
    const uiPort = await plan.choosePort(plan.ports.ui);
    const address = `127.0.0.1:${port}`;
    const args = [
      ...['--disable-config-file', '--disable-config-env', 'server', 'start-dev', '--headless=false'],
      ...['--log-level=warn', '--ip=127.0.0.1', `--port=${port}`, `--ui-port=${uiPort}`, '--ui-disable-news-fetch'],
      ...[`--namespace=${namespace}`, `--db-filename=${join(folder, 'temporal.db')}`],
      ...['--sqlite-pragma=journal_mode=wal', '--sqlite-pragma=synchronous=normal'],
      '--search-attribute=PointAlarmStatus=Int',
      ...Object.entries(configured).map(([key, value]) => `--dynamic-config-value=${key}=${String(value)}`),
    ];
    const log = join(plan.logs, 'temporal.log');
    const probe = (): Promise<void> => shortenRetention(address, namespace);
    return { name: 'temporal', command, args, folder, env, log, url: address, probe, ui: `http://127.0.0.1:${uiPort}` };
  }, ground);
  return { address: started.plan.url, namespace, ui: started.plan.ui, own: started.own };
};

const RETENTION_MS = 3_600_000;

/** Closed runs are kept for an hour: nodes continue as new often. */
const shortenRetention = (address: string, namespace: string): Promise<void> =>
  connected({ address }, ({ workflowService }) =>
    workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) } }),
  );

const connected = async (
  options: ConnectionOptions | undefined,
  work: (connection: Connection) => Promise<unknown>,
): Promise<void> => {
  const connection = await Connection.connect({ ...options, connectTimeout: 2_000 });
  await within(2_000, work(connection)).finally(() => connection.close());
};
