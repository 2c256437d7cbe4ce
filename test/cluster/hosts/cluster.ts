import type { Ground } from '../../../dev/stack/ground';
import { outputOf } from '../../../dev/stack/environment';
import { waitUntil, type Running } from '../../../dev/stack/running';
import { bringUpBalancer, type Balancer } from './balancer';
import type { ServiceCommands } from './find-services';
import { createNetwork, type Host, type Network } from './network';
import { bringUpPostgres, type Postgres } from './postgres';
import { bringUpRedisGroup, type RedisGroup } from './redis-group';
import {
  bringUpTemporalHost,
  FRONTEND_PORT,
  makeDatabases,
  runComposeScript,
  type TemporalHost,
  type TemporalServer,
} from './temporal-host';

/** What the service stands on, on more than one machine, and machines for the service itself. */
export interface Cluster {
  readonly network: Network;
  readonly postgres: Postgres;
  readonly temporal: readonly [TemporalHost, TemporalHost];
  readonly balancer: Balancer;
  readonly redis: RedisGroup;
  readonly apiHosts: readonly [Host, Host];
  readonly workerHosts: readonly [Host, Host];
  /** All frontends of Temporal, by the balancer. */
  readonly temporalAddress: string;
  /** What an operator does by Temporal's command, repeated until the cluster takes it. Its output. */
  readonly operator: (what: string, ...args: ReadonlyArray<string>) => Promise<string>;
  /** Makes the namespace and the search attribute. */
  readonly setUp: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface ClusterPlan {
  readonly folder: string;
  readonly services: ServiceCommands;
  readonly temporalServer: TemporalServer;
  /** Temporal's command for operators. */
  readonly temporalCommand: string;
  /** Whether PostgreSQL keeps what a restore to a point in time needs. */
  readonly isArchiving?: boolean;
}

export const NAMESPACE = 'default';
const RETENTION = '24h';

/** Brings up a cluster without its namespace. Errors: a fault; what was started by then is stopped. */
export const bringUpCluster = async (plan: ClusterPlan, ground: Ground): Promise<Cluster> => {
  const { folder, services, temporalServer } = plan;
  const network = await createNetwork(folder, ground);
  const started: Array<{ readonly own: Running }> = [];
  const keep = <A extends (typeof started)[number]>(one: A): A => {
    started.push(one);
    return one;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.reverse().map(({ own }) => own.stop(0)));
    await network.remove();
  };
  try {
    const database = await network.addHost('database');
    const lb = await network.addHost('balancer');
    const temporalHosts = [await network.addHost('temporal-1'), await network.addHost('temporal-2')] as const;
    const redisHosts = [await network.addHost('redis-1'), await network.addHost('redis-2')] as const;
    const apiHosts = [await network.addHost('api-1'), await network.addHost('api-2')] as const;
    const workerHosts = [await network.addHost('worker-1'), await network.addHost('worker-2')] as const;
    const [primary, replica] = redisHosts;
    const sentinels = [primary, replica, lb];
    const redis = await bringUpRedisGroup({ redis: services.redis, primary, replica, sentinels, folder }, ground);
    for (const one of [...redis.servers, ...redis.sentinels]) keep(one);
    const postgres = keep(
      await bringUpPostgres(
        { bin: services.postgres, host: database, network, folder, isArchiving: plan.isArchiving ?? false },
        ground,
      ),
    );
    await makeDatabases({ sqlTool: temporalServer.sqlTool, host: database, folder }, ground);
    const balanced = { haproxy: services.haproxy, host: lb, temporal: temporalHosts, apis: apiHosts, folder };
    const balancer = keep(await bringUpBalancer(balanced, ground));
    const startTemporal = async (host: Host): Promise<TemporalHost> => {
      const to = { postgres: database.address, balancer: lb.address };
      return keep(await bringUpTemporalHost({ server: temporalServer.server, host, ...to, folder }, ground));
    };
    const temporal = [await startTemporal(temporalHosts[0]), await startTemporal(temporalHosts[1])] as const;
    const temporalAddress = `${lb.address}:${FRONTEND_PORT}`;
    return {
      ...{ network, postgres, temporal, balancer, redis, apiHosts, workerHosts, temporalAddress },
      operator: (what, ...args) => {
        const line = ['--address', temporalAddress, ...args];
        const ask = (): Promise<string> => outputOf(plan.temporalCommand, line, process.env);
        return waitUntil(ask, { what, deadlineMs: TAKEN_WITHIN_MS, signal: ground.signal });
      },
      setUp: () => {
        const env = { TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_NAMESPACE: NAMESPACE, RETENTION };
        const commands = { temporal: plan.temporalCommand };
        return runComposeScript('set-up-namespace', { commands, env, folder }, ground);
      },
      stop,
    };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
};

/** The hosts of Temporal find each other within seconds; until then they refuse. */
const TAKEN_WITHIN_MS = 60_000;
