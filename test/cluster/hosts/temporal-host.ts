import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ground } from '../../../stack/ground';
import { startServer, type Running } from '../../../stack/running';
import { DYNAMIC_CONFIG } from '../../../stack/servers';
import { within } from '../../../process/within';
import type { Host } from './network';
import { POSTGRES_PASSWORD, POSTGRES_PORT, POSTGRES_USER } from './postgres';
import { DATABASES } from './temporal-schema';

/** A host with all four services of Temporal. */
export interface TemporalHost {
  readonly host: Host;
  readonly own: Running;
}

export const FRONTEND_PORT = 7233;
/** Where a frontend answers by HTTP, which a balancer can ask. */
export const FRONTEND_HTTP_PORT = 7243;
export const HEALTH_PATH = '/api/v1/system-info';

const HISTORY_SHARDS = 64;
/** Where the hosts ask each other for the nodes that they have. */
export const HISTORY_PORT = 7234;
const PORTS = { frontend: FRONTEND_PORT, history: HISTORY_PORT, matching: 7235, worker: 7239 } as const;
/** From a service's port to that by which hosts find each other. */
const TO_MEMBERSHIP = -300;

export interface TemporalHostPlan {
  readonly server: string;
  readonly host: Host;
  /** The address of PostgreSQL as this host reaches it, and of the balancer of all frontends. */
  readonly postgres: string;
  readonly balancer: string;
  readonly folder: string;
}

/** Brings up Temporal on `host`, one of several hosts on the same databases. */
export const bringUpTemporalHost = async (plan: TemporalHostPlan, ground: Ground): Promise<TemporalHost> => {
  const { server, host } = plan;
  const folder = join(plan.folder, host.name);
  mkdirSync(folder, { recursive: true });
  const dynamic = join(folder, 'dynamic-config.yaml');
  writeFileSync(dynamic, asYaml(dynamicConfig));
  const config = join(folder, 'temporal.yaml');
  writeFileSync(config, asYaml(configOf(plan, dynamic)));
  const address = `${host.address}:${FRONTEND_PORT}`;
  const answers = async (): Promise<void> => {
    const { ok, status } = await within(2_000, fetch(`http://${host.address}:${FRONTEND_HTTP_PORT}${HEALTH_PATH}`));
    if (!ok) throw new Error(`${address} answers ${status}`);
  };
  const line = host.on({ command: server, args: ['--config-file', config, '--allow-no-auth', 'start'] });
  const { name } = host;
  const log = join(plan.folder, `${name}.log`);
  const child = { name, ...line, folder, env: process.env, log, url: address, probe: answers };
  return { host, own: (await startServer(() => Promise.resolve(child), ground)).own };
};

/** JSON is YAML. */
const asYaml = (content: unknown): string => `${JSON.stringify(content, undefined, 2)}\n`;

/**
 * What one machine has, and: hosts ask each other whether they are there. A host that went silent keeps its connections open,
 * and calls to it would wait for their deadlines.
 */
const dynamicConfig = Object.fromEntries(
  Object.entries({
    ...DYNAMIC_CONFIG,
    'system.enableInternodeServerKeepAlive': true,
    'system.enableInternodeClientKeepAlive': true,
    // All hosts count one that joins or leaves from the same second on: none takes a shard back, and one that stops hands over first.
    'history.alignMembershipChange': '1s',
    'matching.alignMembershipChange': '1s',
  }).map(([key, value]) => [key, [{ value }]]),
);

/** Between hosts: the shortest interval that gRPC's Go client takes is 10 s. */
const KEEP_ALIVE = {
  clientConnectionConfig: {
    keepAliveClientParameters: { keepAliveTime: '10s', keepAliveTimeout: '2s', keepAlivePermitWithoutStream: true },
  },
  keepAliveServerConfig: { keepAliveEnforcementPolicy: { minTime: '5s', permitWithoutStream: true } },
};

const configOf = ({ host, postgres, balancer }: TemporalHostPlan, dynamic: string) => ({
  log: { stdout: true, level: 'warn' },
  persistence: {
    defaultStore: 'default',
    visibilityStore: 'visibility',
    numHistoryShards: HISTORY_SHARDS,
    datastores: {
      default: { sql: { ...sqlOf(postgres, DATABASES.temporal), maxConns: 20, maxIdleConns: 20 } },
      visibility: { sql: { ...sqlOf(postgres, DATABASES.visibility), maxConns: 5, maxIdleConns: 5 } },
    },
  },
  global: { membership: { maxJoinDuration: '30s', broadcastAddress: host.address } },
  services: Object.fromEntries(
    Object.entries(PORTS).map(([name, grpcPort]) => {
      const rpc = { grpcPort, membershipPort: grpcPort + TO_MEMBERSHIP, bindOnIP: host.address };
      return [name, { rpc: { ...rpc, ...KEEP_ALIVE, ...(name === 'frontend' && { httpPort: FRONTEND_HTTP_PORT }) } }];
    }),
  ),
  clusterMetadata: {
    enableGlobalNamespace: false,
    failoverVersionIncrement: 10,
    masterClusterName: 'active',
    currentClusterName: 'active',
    clusterInformation: {
      active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: `${balancer}:7233` },
    },
  },
  dcRedirectionPolicy: { policy: 'noop' },
  dynamicConfigClient: { filepath: dynamic, pollInterval: '10s' },
});

const sqlOf = (postgres: string, databaseName: string) => ({
  pluginName: 'postgres12',
  databaseName,
  connectAddr: `${postgres}:${POSTGRES_PORT}`,
  connectProtocol: 'tcp',
  user: POSTGRES_USER,
  password: POSTGRES_PASSWORD,
  maxConnLifetime: '1h',
});
