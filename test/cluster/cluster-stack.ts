import { randomUUID } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { API_PORT } from './hosts/balancer';
import { bringUpCluster, NAMESPACE, type Cluster } from './hosts/cluster';
import { findServices } from './hosts/find-services';
import { findTemporalServer } from './hosts/temporal-host';
import type { Host } from './hosts/network';
import type { Environment } from '../../dev/stack/environment';
import { findTemporal } from '../../dev/stack/temporal-command';
import type { Ground } from '../../dev/stack/ground';
import type { Running } from '../../dev/stack/running';
import { serviceEnvironment, entries, startNodeProcess } from '../../dev/stack/service';
import type { ServiceStack } from '../chaos/stack/stack';
import { tokenSigner } from '../chaos/stack/token-signer';
import { exitText } from '../../dev/stack/child';
import { openGround } from '../support/ground';
import { watchProcesses } from '../support/watched-processes';
import { machine, type Machine } from './machine';

/** Connections to an API that HAProxy keeps at rest, which follow the calls at once before. */
const KEPT_BY_BALANCER = 48;

const KILLED = exitText({ code: null, signal: 'SIGKILL' });

/** An API or a worker, and the machine that it has for itself. */
export interface ServedMachine extends Running {
  readonly machine: Machine;
}

/** The service and what it stands on, each on a machine of its own. */
export interface ClusterStack extends ServiceStack {
  readonly cluster: Cluster;
  readonly ground: Ground;
  readonly workers: readonly [ServedMachine, ServedMachine];
  readonly apis: readonly [ServedMachine, ServedMachine];
  readonly temporal: readonly [Machine, Machine];
  readonly database: Machine;
  /** The first one begins as the primary; Sentinels may change that. */
  readonly redis: readonly [Machine, Machine];
  readonly balancer: Machine;
}

export interface ClusterStackPlan {
  /** Settings of the workers and the APIs, beyond those that the stack makes. */
  readonly env?: Environment;
  /** Whether PostgreSQL keeps what a restore to a point in time needs. */
  readonly isArchiving?: boolean;
  /** Whether the event loops of the APIs are watched, which takes a scrape of each per second; by default they are. */
  readonly isWatched?: boolean;
}

const WORKER_PORT = 3001;

/** Brings up a cluster and the service on it. Everything goes when it is stopped, or when this process dies. `CHAOS_KEEP=1` keeps files and logs. */
export const startClusterStack = async ({
  env = {},
  isArchiving = false,
  isWatched = true,
}: ClusterStackPlan = {}): Promise<ClusterStack> => {
  const ground = openGround('cluster', process.env['CHAOS_KEEP'] !== undefined);
  const { folder } = ground;
  await chmod(folder, 0o711); // PostgreSQL does not run as root
  const services = await findServices(process.env, ground);
  const temporalServer = await findTemporalServer(process.env, ground);
  const temporalCommand = ground.servers.commands?.temporal ?? (await findTemporal(process.env, ground)).path;
  const cluster = await bringUpCluster({ folder, services, temporalServer, temporalCommand, isArchiving }, ground);
  await cluster.setUp();
  const stream = `events-${randomUUID()}`;
  const own = { PATH: process.env['PATH'], HOME: process.env['HOME'], DRAIN_MS: '2000', ...env };
  const settings = {
    ...own,
    ...cluster.redis.env,
    REDIS_REPLICAS_REQUIRED: '1', // with less a failover may lose what was published

    EVENT_STREAM: stream,
    EVENT_STREAM_MAXLEN: '0',
    TEMPORAL_CONFIG_FILE: join(folder, 'profiles.toml'), // there is none
  };
  const servers = {
    temporal: { address: cluster.temporalAddress, namespace: NAMESPACE },
    redis: { url: cluster.redis.settings.url },
  };
  const parts = await serviceEnvironment(settings, { ...servers, stop: () => Promise.resolve() }, folder);
  const start = async (kind: 'worker' | 'api', host: Host): Promise<ServedMachine> => {
    const port = kind === 'api' ? API_PORT : WORKER_PORT;
    const plan = {
      name: host.name,
      args: entries[kind],
      env: { ...parts.env, HOST: host.address, [kind === 'api' ? 'PORT' : 'WORKER_PORT']: String(port) },
      url: `http://${host.address}:${port}`,
      log: join(folder, `${host.name}.log`),
      on: host.on,
    };
    const own = machine(host, ground.watchdog);
    const running = await startNodeProcess(plan, ground);
    // A machine is killed by kill -9 of all that runs on it.
    const unaskedExits = () => running.unaskedExits().filter((exit) => exit !== KILLED);
    return { ...running, unaskedExits, frozen: own.frozen, machine: own };
  };
  const [workerOne, workerTwo] = cluster.workerHosts;
  const [apiOne, apiTwo] = cluster.apiHosts;
  const workers = [await start('worker', workerOne), await start('worker', workerTwo)] as const;
  const apis = [await start('api', apiOne), await start('api', apiTwo)] as const;
  await Promise.all([...workers, ...apis].map(({ ready }) => ready()));
  const watch = isWatched ? watchProcesses(apis, workers, KEPT_BY_BALANCER) : undefined;
  const stop = async (): Promise<void> => {
    for (const one of [...workers, ...apis]) await one.kill();
    await cluster.stop();
    await ground.close();
  };
  const machineOf = ({ host }: { readonly host: Host }): Machine => machine(host, ground.watchdog);
  const [temporalOne, temporalTwo] = cluster.temporal;
  const [redisOne, redisTwo] = cluster.redis.servers;
  return {
    cluster,
    ground,
    workers,
    apis,
    temporal: [machineOf(temporalOne), machineOf(temporalTwo)],
    database: machineOf(cluster.postgres),
    redis: [machineOf(redisOne), machineOf(redisTwo)],
    balancer: machineOf(cluster.balancer),
    redisSettings: cluster.redis.settings,
    stream,
    folder,
    signToken: await tokenSigner(join(folder, 'dev-auth')),
    stop: () => watch?.stop(stop) ?? stop(),
  };
};
