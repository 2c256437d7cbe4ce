import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, type Child } from './child';
import type { Environment } from './environment';
import type { Ground } from './ground';
import { waitUntil, within } from './wait-until';

/** Values by the keys of Temporal's dynamic configuration. */
export type DynamicConfig = Readonly<Record<string, number | boolean>>;

/** A development server to start: on loopback, its state in `folder`. */
export interface TemporalPlan {
  readonly command: string;
  readonly folder: string;
  readonly namespace: string;
  readonly port: number;
  readonly uiPort: number;
  readonly limits: 'raised' | 'own';
  /** Keys of the dynamic configuration that are to differ from what `limits` says. */
  readonly dynamicConfig: DynamicConfig;
  readonly log: string;
  readonly env: Environment;
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
  // The server keeps so many runs in its memory, 100 KB each, those that are over among them; its own limit is 128,000.
  'history.hostLevelCacheMaxSize': 20_000,
  'history.maxInFlightUpdates': 1_000,
  'history.transferProcessorMaxPollRPS': 500,
  'system.enableActivityEagerExecution': true,
} as const;

const ANSWERS_WITHIN_MS = 60_000;
const RETENTION_MS = 3_600_000;

/** Starts a server and waits until its namespace answers. Closed runs are kept for an hour: nodes renew themselves often. */
export const startTemporalServer = async (plan: TemporalPlan, ground: Ground): Promise<Child> => {
  mkdirSync(plan.folder, { recursive: true });
  const child = await startChild(
    {
      name: 'temporal',
      command: plan.command,
      args: argumentsOf(plan),
      folder: plan.folder,
      env: plan.env,
      log: plan.log,
    },
    ground.watchdog,
  );
  try {
    const probe = (): Promise<void> => shortenRetention(`127.0.0.1:${plan.port}`, plan.namespace);
    await waitUntil(probe, { what: 'Temporal', deadlineMs: ANSWERS_WITHIN_MS, signal: ground.signal, child });
    return child;
  } catch (thrown) {
    await child.stop(1_000);
    throw thrown;
  }
};

const argumentsOf = ({
  folder,
  namespace,
  port,
  uiPort,
  limits,
  dynamicConfig,
}: TemporalPlan): ReadonlyArray<string> => [
  ...['--disable-config-file', '--disable-config-env', 'server', 'start-dev', '--headless=false', '--log-level=warn'],
  ...['--ip=127.0.0.1', `--port=${port}`, `--ui-port=${uiPort}`, '--ui-disable-news-fetch', `--namespace=${namespace}`],
  `--db-filename=${join(folder, 'temporal.db')}`,
  ...['--sqlite-pragma=journal_mode=wal', '--sqlite-pragma=synchronous=normal'],
  '--search-attribute=PointAlarmStatus=Int',
  ...Object.entries({ ...(limits === 'raised' && DYNAMIC_CONFIG), ...dynamicConfig }).map(
    ([key, value]) => `--dynamic-config-value=${key}=${String(value)}`,
  ),
];

const shortenRetention = async (address: string, namespace: string): Promise<void> => {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 });
  try {
    await within(
      2_000,
      connection.workflowService.updateNamespace({
        namespace,
        config: { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) },
      }),
    );
  } finally {
    await connection.close();
  }
};
