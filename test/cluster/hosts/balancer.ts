import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Ground } from '../../../stack/ground';
import { startServer, type Running } from '../../../stack/running';
import type { Host } from './network';
import { FRONTEND_HTTP_PORT, FRONTEND_PORT, HEALTH_PATH } from './temporal-host';

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
  readonly temporal: ReadonlyArray<Host>;
  readonly apis: ReadonlyArray<Host>;
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
    await told(adminSocketIn(folder), `set server ${backend}/${drained.name} state ${isDrained ? 'drain' : 'ready'}`);
  };
  return { host: plan.host, own, drain };
};

const adminSocketIn = (folder: string): string => join(folder, 'admin.sock');

/** Sends HAProxy a line. Errors: it answers anything. */
const told = async (path: string, line: string): Promise<void> => {
  const socket = connect({ path });
  socket.end(`${line}\n`);
  const answer = (await text(socket)).trim();
  if (answer !== '') throw new Error(`haproxy answers: ${answer}`);
};

/**
 * Calls by gRPC are balanced one by one. One that ends with its host is UNAVAILABLE, and the caller repeats it. Where no API
 * is ready, as while Redis is unavailable, all of them get calls.
 */
const configOf = ({ host, temporal, apis }: BalancerPlan, adminSocket: string): string => `global
  maxconn 4000
  stats socket ${adminSocket} mode 600 level admin
  log stdout format raw local0 notice
defaults
  mode http
  log global
  timeout connect 2s
  timeout client 120s
  timeout server 120s
  timeout http-request 10s
  option redispatch
  default-server inter 1s fastinter 200ms fall 2 rise 2 on-marked-down shutdown-sessions
frontend temporal
  bind ${host.address}:${FRONTEND_PORT} proto h2
  default_backend temporal
backend temporal
  option httpchk GET ${HEALTH_PATH}
${temporal
  .map(
    ({ name, address }, at) =>
      `  server ${name} ${address}:${FRONTEND_PORT} proto h2 check port ${FRONTEND_HTTP_PORT} check-proto h1${at > 0 ? ' backup' : ''}`,
  )
  .join('\n')}
frontend api
  bind ${host.address}:${API_PORT}
  default_backend api
backend api
  option httpchk GET /readyz
  option allbackups
${apis.map(({ name, address }) => `  server ${name} ${address}:${API_PORT} check`).join('\n')}
${apis.map(({ name, address }) => `  server ${name}-unready ${address}:${API_PORT} backup`).join('\n')}
`;

const connects = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: 1_000 }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(new Error(`no answer of ${host}:${port}`)));
  });
