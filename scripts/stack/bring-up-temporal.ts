import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { join } from 'node:path';
import { definedIn, setting } from './environment';
import { lineOf } from './fault';
import { findTemporal } from './find-temporal';
import type { Ground } from './ground';
import { ownServer, type OwnServer } from './own-server';
import { secondsSince } from './report';
import type { ServersPlan } from './servers-plan';
import { startOnFreePort } from './start-on-free-port';
import { startTemporalServer } from './temporal-server';
import { waitUntil, within } from './wait-until';

/** Temporal at `address`; `ui` and `own` only when it is ours. */
export interface Temporal {
  readonly address: string;
  readonly namespace: string;
  readonly ui?: string;
  readonly own?: OwnServer;
}

/** The Temporal of TEMPORAL_ADDRESS, else a development server of our own. */
export const bringUpTemporal = async (plan: ServersPlan, ground: Ground): Promise<Temporal> => {
  const address = setting(plan.env, 'TEMPORAL_ADDRESS');
  const namespace = setting(plan.env, 'TEMPORAL_NAMESPACE') ?? 'default';
  return address === undefined ? startOwn(plan, namespace, ground) : connectTo(address, namespace, plan, ground);
};

const startOwn = async (plan: ServersPlan, namespace: string, ground: Ground): Promise<Temporal> => {
  const command = plan.commands?.temporal ?? (await findTemporal(plan.env, ground)).path;
  return startOnFreePort(async () => {
    const begin = Date.now();
    const port = await plan.choosePort(plan.ports.temporal);
    const uiPort = await plan.choosePort(plan.ports.ui);
    const [folder, log] = [join(plan.folder, 'temporal'), join(plan.logs, 'temporal.log')];
    const { env, dynamicConfig = {}, temporalLimits: limits = 'raised' } = plan;
    const server = { command, folder, namespace, port, uiPort, limits, dynamicConfig, log, env };
    const start = () => startTemporalServer(server, ground);
    const child = await start();
    const address = `127.0.0.1:${port}`;
    ground.report('temporal', `answers at ${address} after ${secondsSince(begin)}`);
    return { address, namespace, ui: `http://127.0.0.1:${uiPort}`, own: ownServer(child, start) };
  });
};

const GIVEN_WITHIN_MS = 5_000;

/** A server that is away is waited for by the processes themselves, so it is only reported. */
const connectTo = async (address: string, namespace: string, plan: ServersPlan, ground: Ground): Promise<Temporal> => {
  const probe = async (): Promise<void> => {
    const { connectionOptions } = loadClientConnectConfig({ overrideEnvVars: definedIn(plan.env) });
    const connection = await Connection.connect({ ...connectionOptions, connectTimeout: 2_000 });
    await within(2_000, connection.workflowService.getSystemInfo({})).finally(() => connection.close());
  };
  await waitUntil(probe, { what: 'it', deadlineMs: GIVEN_WITHIN_MS, signal: ground.signal }).then(
    () => {
      ground.report('temporal', `answers at ${address} (TEMPORAL_ADDRESS)`);
    },
    (thrown: unknown) => {
      ground.signal.throwIfAborted();
      ground.report('temporal', `${address} (TEMPORAL_ADDRESS): ${lineOf(thrown)}; going on, it may come`);
    },
  );
  return { address, namespace };
};
