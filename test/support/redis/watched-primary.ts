import { expect, vi } from 'vitest';
import type { RedisGround, RedisProcess } from './servers';

/** A primary with its replicas, and three sentinels that watch it. */
export interface WatchedPrimary {
  readonly primary: RedisProcess;
  readonly replicas: ReadonlyArray<RedisProcess>;
  readonly sentinels: ReadonlyArray<RedisProcess>;
}

const soon = { timeout: 30_000, interval: 50 };

/** Brings them up, until all know one another and the replicas have caught up; `args` are of all servers. */
export const watchedPrimary = async (
  ground: RedisGround,
  replicaCount: number,
  args: ReadonlyArray<string> = [],
  downAfterMs?: number,
): Promise<WatchedPrimary> => {
  const primary = await ground.server(...args);
  const replicaOf = ['--replicaof', primary.host, String(primary.port)];
  const replicas = await Promise.all(Array.from({ length: replicaCount }, () => ground.server(...replicaOf, ...args)));
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
