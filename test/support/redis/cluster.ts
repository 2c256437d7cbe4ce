import { expect, vi } from 'vitest';
import type { RedisGround, RedisProcess } from './servers';

/** A Redis Cluster: primaries with an even share of the slots, each with so many replicas. */
export interface Cluster {
  readonly primaries: ReadonlyArray<RedisProcess>;
  readonly replicas: ReadonlyArray<RedisProcess>;
}

const SLOTS = 16_384;
const soon = { timeout: 30_000, interval: 100 };

export const bringUpCluster = async (ground: RedisGround, size: number, replicasEach: 0 | 1): Promise<Cluster> => {
  const clustered = [
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    '2000',
    '--cluster-replica-validity-factor',
    '0',
  ];
  const start = () => ground.server(...clustered);
  const primaries = await Promise.all(Array.from({ length: size }, start));
  const replicas = await Promise.all(Array.from({ length: size * replicasEach }, start));
  const [first, ...others] = [...primaries, ...replicas];
  for (const [index, one] of primaries.entries()) {
    const [from, to] = [index, index + 1].map((share) => Math.floor((share * SLOTS) / size));
    await one.ask('CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? 0) - 1));
    await one.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  for (const one of others) {
    const { 'cluster-port': bus = '' } = (await one.ask('CONFIG', 'GET', 'cluster-port')) as Record<string, string>;
    await first?.ask('CLUSTER', 'MEET', '127.0.0.1', String(one.port), bus);
  }
  const all = [...primaries, ...replicas];
  await vi.waitFor(async () => {
    for (const one of all)
      expect(String(await one.ask('CLUSTER', 'INFO'))).toMatch(`cluster_known_nodes:${all.length}\r`);
  }, soon);
  for (const [index, one] of replicas.entries())
    await one.ask('CLUSTER', 'REPLICATE', String(await primaries[index]?.ask('CLUSTER', 'MYID')));
  await vi.waitFor(async () => {
    for (const one of all) expect(String(await one.ask('CLUSTER', 'INFO'))).toContain('cluster_state:ok');
    for (const one of replicas) expect(String(await one.ask('INFO', 'replication'))).toContain('master_link_status:up');
  }, soon);
  return { primaries, replicas };
};
