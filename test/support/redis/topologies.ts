import { expect, vi } from 'vitest';
import type { RedisSettings } from '../../../process/settings';
import { connectRedis, type RedisConnection } from '../../../stream/connection';
import { recordedLog } from '../recorded-log';
import type { RedisGround, RedisProcess } from './servers';

const soon = { timeout: 60_000, interval: 50 };

/** How a client finds the server of a stream. */
export type RedisAddresses = Pick<RedisSettings, 'sentinels' | 'clusterNodes' | 'tls'>;

/** A link of `way`, once it answers. */
export const connectBy = async (way: RedisAddresses, stream: string): Promise<RedisConnection> => {
  const url = `${way.tls === undefined ? 'redis' : 'rediss'}://nobody:1`;
  const link = connectRedis({ url, ...way, log: recordedLog().log, name: 'test' }, stream);
  await vi.waitFor(async () => expect(await link.answers()).toBe(true), soon);
  return link;
};

/** A primary with its replicas, and three sentinels that watch it. */
interface WatchedPrimary {
  readonly primary: RedisProcess;
  readonly replicas: ReadonlyArray<RedisProcess>;
  readonly sentinels: ReadonlyArray<RedisProcess>;
}

/** Brings them up, until all know one another and the replicas have caught up. */
export const watchedPrimary = async (
  ground: RedisGround,
  replicaCount: number,
  downAfterMs?: number,
): Promise<WatchedPrimary> => {
  const primary = await ground.server();
  const replicaOf = ['--replicaof', primary.host, String(primary.port)];
  const replicas = await Promise.all(Array.from({ length: replicaCount }, () => ground.server(...replicaOf)));
  const sentinels = await Promise.all([1, 2, 3].map(() => ground.sentinel(primary, 2, downAfterMs)));
  await vi.waitFor(async () => {
    for (const one of sentinels) expect(await viewOf(one)).toEqual({ replicas: replicaCount, others: 2 });
    expect(await primary.ask('WAIT', String(replicaCount), '1000')).toBe(replicaCount);
  }, soon);
  return { primary, replicas, sentinels };
};

/** How many replicas and other sentinels a sentinel knows. */
const viewOf = async (sentinel: RedisProcess) => {
  const fields = await sentinel.ask('SENTINEL', 'MASTER', 'main');
  const { 'num-slaves': replicas, 'num-other-sentinels': others } = { ...(fields as Record<string, string>) };
  return { replicas: Number(replicas), others: Number(others) };
};

/** A Redis Cluster: primaries with an even share of the slots, each with so many replicas. */
export interface Cluster {
  readonly primaries: ReadonlyArray<RedisProcess>;
  readonly replicas: ReadonlyArray<RedisProcess>;
}

const SLOTS = 16_384;
const CLUSTERED = [
  ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', '--cluster-replica-validity-factor', '0'],
];

export const bringUpCluster = async (ground: RedisGround, size: number, replicasEach: 0 | 1): Promise<Cluster> => {
  const start = (count: number) => Promise.all(Array.from({ length: count }, () => ground.server(...CLUSTERED)));
  const [primaries, replicas] = [await start(size), await start(size * replicasEach)];
  const all = [...primaries, ...replicas];
  const [first, ...others] = all;
  for (const [index, one] of primaries.entries()) {
    const [from, to] = [index, index + 1].map((share) => Math.floor((share * SLOTS) / size));
    await one.ask('CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? 0) - 1));
    await one.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  for (const one of others) {
    const { 'cluster-port': bus = '' } = (await one.ask('CONFIG', 'GET', 'cluster-port')) as Record<string, string>;
    await first?.ask('CLUSTER', 'MEET', '127.0.0.1', String(one.port), bus);
  }
  const allSay = (about: readonly [string, string], what: string, servers = all) =>
    vi.waitFor(async () => {
      for (const one of servers) expect(String(await one.ask(...about))).toContain(what);
    }, soon);
  await allSay(['CLUSTER', 'INFO'], `cluster_known_nodes:${all.length}\r`);
  for (const [index, one] of replicas.entries())
    await one.ask('CLUSTER', 'REPLICATE', String(await primaries[index]?.ask('CLUSTER', 'MYID')));
  await allSay(['CLUSTER', 'INFO'], 'cluster_state:ok');
  await allSay(['INFO', 'replication'], 'master_link_status:up', replicas);
  return { primaries, replicas };
};

/** The primary that has a stream, and the replica that takes its place. */
export interface Pair {
  readonly way: RedisAddresses;
  readonly link: RedisConnection;
  readonly primary: RedisProcess;
  readonly heir: RedisProcess;
  /** Has a primary that was killed come back as a replica: publishing waits for one. */
  readonly bringBack: () => Promise<void>;
}

/** Until then the replica is elected on a machine that is busy, too (ms). */
const DOWN_AFTER_MS = 2_000;

export const bySentinels = async (ground: RedisGround, stream: string): Promise<Pair> => {
  const { primary, replicas, sentinels } = await watchedPrimary(ground, 1, DOWN_AFTER_MS);
  const heir = replicas[0]!;
  const way = { sentinels: { addresses: sentinels, master: 'main' }, ...tlsOf(ground) };
  const bringBack = (): Promise<void> => primary.restart('--replicaof', heir.host, String(heir.port));
  return { way, link: await connectBy(way, stream), primary, heir, bringBack };
};

export const inCluster = async (ground: RedisGround, stream: string): Promise<Pair> => {
  const { primaries, replicas } = await bringUpCluster(ground, 3, 1);
  const way = { clusterNodes: [...primaries, ...replicas], ...tlsOf(ground) };
  const link = await connectBy(way, stream);
  const port = await portOf(link);
  const at = primaries.findIndex((one) => one.port === port);
  const primary = primaries[at]!;
  return { way, link, primary, heir: replicas[at]!, bringBack: () => primary.restart() };
};

const tlsOf = ({ tls }: RedisGround): Pick<RedisAddresses, 'tls'> => (tls === undefined ? {} : { tls });

/** The port of the server that a link writes to. */
export const portOf = async ({ client }: RedisConnection): Promise<number> => {
  const { port, 'tls-port': secured } = await client.configGet(['port', 'tls-port']);
  return Number(port === '0' ? secured : port);
};
