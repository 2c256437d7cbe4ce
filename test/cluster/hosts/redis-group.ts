import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ground } from '../../../stack/ground';
import { startOwnServer, type OwnServer } from '../../../stack/own-server';
import { pingRedis } from '../../../stack/redis';
import type { Host } from './network';

/** A Redis, or a Sentinel, on `host`. */
export interface RedisMember {
  readonly host: Host;
  readonly own: OwnServer;
}

/** A primary, its replica, and the Sentinels that decide which one is primary. */
export interface RedisGroup {
  readonly primary: RedisMember;
  readonly replica: RedisMember;
  readonly sentinels: ReadonlyArray<RedisMember>;
}

export const REDIS_PORT = 6379;
export const SENTINEL_PORT = 26_379;
/** The name by which Sentinels know the primary. */
export const SENTINEL_MASTER = 'point-alarm';
/** Silence (ms) after which a Sentinel takes the primary for dead. */
const DOWN_AFTER_MS = 3_000;

export interface RedisGroupPlan {
  readonly redis: string;
  readonly primary: Host;
  readonly replica: Host;
  readonly sentinels: ReadonlyArray<Host>;
  readonly folder: string;
}

/** Brings up the group. What the primary answered is on its disk; the replica follows a moment later. */
export const bringUpRedisGroup = async (plan: RedisGroupPlan, ground: Ground): Promise<RedisGroup> => {
  const start = startMember(plan, ground);
  const primary = await start(plan.primary, 'redis', REDIS_PORT, FILES);
  const replica = await start(
    plan.replica,
    'redis',
    REDIS_PORT,
    `${FILES}replicaof ${plan.primary.address} ${REDIS_PORT}\n`,
  );
  const quorum = Math.floor(plan.sentinels.length / 2) + 1;
  const watched = [
    `sentinel monitor ${SENTINEL_MASTER} ${plan.primary.address} ${REDIS_PORT} ${quorum}`,
    `sentinel down-after-milliseconds ${SENTINEL_MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${SENTINEL_MASTER} 10000`,
  ].join('\n');
  const sentinels = await Promise.all(
    plan.sentinels.map((host) => start(host, 'sentinel', SENTINEL_PORT, `${watched}\n`)),
  );
  return { primary, replica, sentinels };
};

const FILES = `appendonly yes
appendfsync always
save ""
repl-diskless-sync-delay 0
`;

/** Redis and Sentinel write to their configuration file what they agreed on. */
const startMember =
  ({ redis, folder }: RedisGroupPlan, ground: Ground) =>
  async (host: Host, kind: 'redis' | 'sentinel', port: number, settings: string): Promise<RedisMember> => {
    const name = `${host.name}-${kind}`;
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    const file = join(own, `${kind}.conf`);
    writeFileSync(file, `bind ${host.address}\nport ${port}\ndir ${own}\nprotected-mode no\n${settings}`);
    const line = host.on({ command: redis, args: [file, ...(kind === 'sentinel' ? ['--sentinel'] : [])] });
    const address = `redis://${host.address}:${port}`;
    const probe = (): Promise<void> => pingRedis({ url: address });
    const child = { name, ...line, folder: own, env: process.env, log: join(folder, `${name}.log`), address, probe };
    return { host, own: (await startOwnServer(() => Promise.resolve(child), ground)).own };
  };
