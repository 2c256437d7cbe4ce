import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createClient } from 'redis';
import type { HostPort, RedisSettings } from '../../../process/settings';
import type { Environment } from '../../../dev/stack/environment';
import type { Ground } from '../../../dev/stack/ground';
import { startServer, type Running } from '../../../dev/stack/running';
import { pingRedis } from '../../../dev/stack/servers';
import { withTimeout } from '../../../process/timeout';
import type { Host } from './network';

/** A Redis, or a Sentinel, on `host`. */
export interface RedisMember {
  readonly host: Host;
  readonly own: Running;
  /** Where it keeps its files. */
  readonly folder: string;
  /** Its configuration. */
  readonly file: string;
}

/** Two servers, of which one is primary and the other its replica, and the Sentinels that decide which one is. */
export interface RedisGroup {
  /** `redis-cli`, by its path. */
  readonly cli: string;
  readonly servers: readonly [RedisMember, RedisMember];
  readonly sentinels: ReadonlyArray<RedisMember>;
  /** How clients find the primary. */
  readonly settings: RedisSettings;
  /** The same for a process of ours. */
  readonly env: Environment;
  /** Which of the servers the Sentinel beside the balancer names as the primary. */
  readonly primaryNow: () => Promise<0 | 1>;
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

/** The host of the URL is nobody: only the Sentinels say where the primary is. */
const URL_OF_NOBODY = 'redis://nobody:1';

/** Brings up the group, the first server as its primary. What the primary answered is on its disk; the replica follows a moment later. */
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
    `sentinel failover-timeout ${SENTINEL_MASTER} 5000`,
  ].join('\n');
  const sentinels = await Promise.all(
    plan.sentinels.map((host) => start(host, 'sentinel', SENTINEL_PORT, `${watched}\n`)),
  );
  const addresses = plan.sentinels.map(({ address }) => ({ host: address, port: SENTINEL_PORT }));
  const settings = { url: URL_OF_NOBODY, sentinels: { addresses, master: SENTINEL_MASTER } };
  return {
    cli: join(dirname(plan.redis), basename(plan.redis).replace('server', 'cli')),
    servers: [primary, replica],
    sentinels,
    settings,
    env: {
      REDIS_URL: URL_OF_NOBODY,
      REDIS_SENTINELS: addresses.map(({ host, port }) => `${host}:${port}`).join(','),
      REDIS_SENTINEL_MASTER: SENTINEL_MASTER,
    },
    primaryNow: async () => ((await primaryOf(addresses)) === plan.primary.address ? 0 : 1),
  };
};

/** The address that the last Sentinel names: none of the Redis servers is on its host. */
const primaryOf = async (sentinels: ReadonlyArray<HostPort>): Promise<string> => {
  const last = sentinels[sentinels.length - 1];
  const client = createClient({ socket: { ...last, reconnectStrategy: false, connectTimeout: 2_000 } });
  client.on('error', () => undefined);
  const ask = async (): Promise<unknown> => {
    await client.connect();
    return client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', SENTINEL_MASTER]);
  };
  try {
    return String(((await withTimeout(4_000, ask())) as ReadonlyArray<unknown>)[0]);
  } finally {
    client.destroy();
  }
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
    const url = `redis://${host.address}:${port}`;
    const probe = (): Promise<void> => pingRedis({ url });
    const child = { name, ...line, folder: own, env: process.env, log: join(folder, `${name}.log`), url, probe };
    return { host, own: await startServer(() => Promise.resolve(child), ground), folder: own, file };
  };
