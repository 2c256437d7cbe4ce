import { mkdirSync } from 'node:fs';
import { createClient } from 'redis';
import type { RedisSettings } from '../../process/settings';
import { startChild, type Child } from './child';
import type { Environment } from './environment';
import type { Ground } from './ground';
import { waitUntil, within } from './wait-until';

/**
 * A Redis server to start: on loopback, with an append-only file in `folder`, or in memory only. `synced-file` answers only
 * what is on the disk; `file` may lose up to two seconds when Redis is killed (docs/reliability.md, "Redis").
 */
export interface RedisPlan {
  readonly command: string;
  readonly folder: string;
  readonly port: number;
  readonly keep: 'file' | 'synced-file' | 'memory';
  readonly log: string;
  readonly env: Environment;
}

/** Starts a server and waits until it answers. */
export const startRedisServer = async (plan: RedisPlan, ground: Ground): Promise<Child> => {
  mkdirSync(plan.folder, { recursive: true });
  const child = await startChild(
    {
      name: 'redis',
      command: plan.command,
      args: argumentsOf(plan),
      folder: plan.folder,
      env: plan.env,
      log: plan.log,
    },
    ground.watchdog,
  );
  try {
    const probe = (): Promise<void> => pingRedis({ url: `redis://127.0.0.1:${plan.port}` });
    await waitUntil(probe, { what: 'Redis', deadlineMs: 60_000, signal: ground.signal, child });
    return child;
  } catch (thrown) {
    await child.stop(1_000);
    throw thrown;
  }
};

/** Errors: anything but an answer to PING within two seconds; one that still loads its file gives none. */
export const pingRedis = async ({ url, tls }: RedisSettings): Promise<void> => {
  const client = createClient({
    url,
    socket: { reconnectStrategy: false, connectTimeout: 2_000, ...(tls !== undefined && { tls: true, ...tls }) },
  });
  client.on('error', () => undefined);
  try {
    await within(
      2_000,
      client.connect().then(() => client.ping()),
    );
  } finally {
    client.destroy();
  }
};

const argumentsOf = ({ folder, port, keep }: RedisPlan): ReadonlyArray<string> => [
  ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--daemonize', 'no'],
  ...['--save', '', '--appendonly', keep === 'memory' ? 'no' : 'yes'],
  ...['--appendfsync', keep === 'synced-file' ? 'always' : 'everysec'],
];
