import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { createClient } from 'redis';
import { pause } from '../process/backoff';
import { createLog } from '../process/log';
import { cliSettings, type RedisSettings } from '../process/settings';
import { connectRedis } from '../stream/connection';
import { setting } from './environment';
import { findRedis } from './find-commands';
import type { Ground, ServersPlan } from './ground';
import { lookForServer, startServer, type Running } from './running';
import { within } from './wait-until';

/** Redis at `url`; `own` only when it is ours. */
export interface Redis {
  readonly url: string;
  readonly own?: Running;
}

/** The Redis that is set, by URL, sentinels or cluster; else a server of our own on loopback. */
export const bringUpRedis = async (plan: ServersPlan, ground: Ground): Promise<Redis> => {
  const { env, keepRedis: keep } = plan;
  const name = (['REDIS_SENTINELS', 'REDIS_CLUSTER_NODES', 'REDIS_URL'] as const).find(
    (one) => setting(env, one) !== undefined,
  );
  if (name !== undefined) {
    // The processes report settings that are wrong, and certificates that cannot be read.
    const found = cliSettings({ ...env, POINT_ALARM_URL: '', POINT_ALARM_TOKEN: '' });
    const settings = E.isRight(found) ? found.right.redis : { url: setting(env, 'REDIS_URL') ?? '' };
    const shown = withoutPassword(setting(env, name) ?? '');
    await lookForServer({ name: 'redis', shown, setting: name }, () => pingPrimary(settings), ground);
    return { url: settings.url };
  }
  const command = plan.commands?.redis ?? (await findRedis(env, ground));
  const folder = join(plan.folder, 'redis');
  const started = await startServer(async () => {
    const port = await plan.choosePort(plan.ports.redis);
    const url = `redis://127.0.0.1:${port}`;
    const args = [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--daemonize', 'no', '--save', ''],
      ...['--appendonly', keep === 'memory' ? 'no' : 'yes'],
      ...['--appendfsync', keep === 'synced-file' ? 'always' : 'everysec'],
    ];
    const probe = (): Promise<void> => pingRedis({ url });
    return { name: 'redis', command, args, folder, env, log: join(plan.logs, 'redis.log'), url, probe };
  }, ground);
  return { url: started.plan.url, own: started.own };
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

/** The same of the primary that sentinels or a cluster name. */
const pingPrimary = async (settings: RedisSettings): Promise<void> => {
  if (settings.sentinels === undefined && settings.clusterNodes === undefined) return pingRedis(settings);
  const link = connectRedis({ ...settings, log: createLog({ level: 'silent', process: 'stack' }), name: 'stack' });
  const end = Date.now() + 2_000;
  try {
    while (!(await link.answers())) {
      if (Date.now() > end) throw new Error('no primary answers');
      await pause(50);
    }
  } finally {
    await link.close();
  }
};

/** The address as it may be printed. */
export const withoutPassword = (url: string): string => url.replace(/\/\/[^@/]*@/, '//***@');
