import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { createClient } from 'redis';
import type { RedisSettings } from '../process/settings';
import { redisSettings, redisTls } from '../process/settings/redis-settings';
import { setting } from './environment';
import { findRedis } from './find-commands';
import type { Ground } from './ground';
import { lookForServer, startOwnServer, type OwnServer } from './own-server';
import type { ServersPlan } from './servers-plan';
import { within } from './wait-until';

/** Redis at `url`; `own` only when it is ours. */
export interface Redis {
  readonly url: string;
  readonly own?: OwnServer;
}

/** The Redis of REDIS_URL, else a server of our own on loopback. */
export const bringUpRedis = async (plan: ServersPlan, ground: Ground): Promise<Redis> => {
  const { env, keepRedis: keep } = plan;
  const given = setting(env, 'REDIS_URL');
  if (given !== undefined) {
    // The processes report certificates that cannot be read.
    const settings = redisSettings(given, E.getOrElse(() => ({}))(redisTls(env)));
    const probe = (): Promise<void> => pingRedis(settings);
    await lookForServer({ name: 'redis', shown: withoutPassword(given), setting: 'REDIS_URL' }, probe, ground);
    return { url: given };
  }
  const command = plan.commands?.redis ?? (await findRedis(env, ground));
  const folder = join(plan.folder, 'redis');
  const started = await startOwnServer(async () => {
    const port = await plan.choosePort(plan.ports.redis);
    const address = `redis://127.0.0.1:${port}`;
    const args = [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--daemonize', 'no', '--save', ''],
      ...['--appendonly', keep === 'memory' ? 'no' : 'yes'],
      ...['--appendfsync', keep === 'synced-file' ? 'always' : 'everysec'],
    ];
    const probe = (): Promise<void> => pingRedis({ url: address });
    return { name: 'redis', command, args, folder, env, log: join(plan.logs, 'redis.log'), address, probe };
  }, ground);
  return { url: started.plan.address, own: started.own };
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

/** The address as it may be printed. */
export const withoutPassword = (url: string): string => url.replace(/\/\/[^@/]*@/, '//***@');
