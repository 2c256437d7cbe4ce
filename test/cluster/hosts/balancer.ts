import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Ground } from '../../../dev/stack/ground';
import { startServer, type Running } from '../../../dev/stack/running';
import type { Host } from './network';
import { deployed, FRONTEND_PORT } from './temporal-host';

/** HAProxy before the frontends of Temporal and before the APIs. */
export interface Balancer {
  readonly host: Host;
  readonly own: Running;
  /** Sends no more calls to a Temporal host or an API, or sends them again; those in flight go on. */
  readonly drain: (host: Host, isDrained: boolean) => Promise<void>;
}

export const API_PORT = 3000;

export interface BalancerPlan {
  readonly haproxy: string;
  readonly host: Host;
  readonly temporal: readonly [Host, Host];
  readonly apis: readonly [Host, Host];
  readonly folder: string;
}

/** Brings up HAProxy. It asks each server every second, and ends what it sent to one that does not answer twice. */
export const bringUpBalancer = async (plan: BalancerPlan, ground: Ground): Promise<Balancer> => {
  const folder = join(plan.folder, 'haproxy');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configOf(plan, adminSocketIn(folder)));
  const { address } = plan.host;
  const line = plan.host.on({ command: plan.haproxy, args: ['-db', '-f', file] });
  const log = join(plan.folder, 'haproxy.log');
  const probe = (): Promise<void> => connects(address, FRONTEND_PORT);
  const child = { name: 'haproxy', ...line, folder, env: process.env, log, url: address, probe };
  const own = await startServer(() => Promise.resolve(child), ground);
  const drain = async (drained: Host, isDrained: boolean): Promise<void> => {
    const backend = plan.apis.includes(drained) ? 'api' : 'temporal';
    await sendCommand(
      adminSocketIn(folder),
      `set server ${backend}/${drained.name} state ${isDrained ? 'drain' : 'ready'}`,
    );
  };
  return { host: plan.host, own, drain };
};

const adminSocketIn = (folder: string): string => join(folder, 'admin.sock');

/** Sends HAProxy a line. Errors: it answers anything. */
const sendCommand = async (path: string, line: string): Promise<void> => {
  const socket = connect({ path });
  socket.end(`${line}\n`);
  const answer = (await text(socket)).trim();
  if (answer !== '') throw new Error(`haproxy answers: ${answer}`);
};

/** The file of `docs/deployment-hosts.md`, for these hosts and without TLS. */
const configOf = ({ host, temporal, apis }: BalancerPlan, adminSocket: string): string =>
  Object.entries({
    '/run/haproxy/admin.sock': adminSocket,
    'bind :7233': `bind ${host.address}:${FRONTEND_PORT}`,
    'bind :443 ssl crt /etc/haproxy/api.pem': `bind ${host.address}:${API_PORT}`,
    '10.0.0.4:': `${temporal[0].address}:`,
    '10.0.0.5:': `${temporal[1].address}:`,
    '10.0.0.6:': `${apis[0].address}:`,
    '10.0.0.7:': `${apis[1].address}:`,
  }).reduce((config, [written, by]) => config.replaceAll(written, by), deployed('hosts/haproxy.cfg'));

const connects = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: 1_000 }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(new Error(`no answer of ${host}:${port}`)));
  });
