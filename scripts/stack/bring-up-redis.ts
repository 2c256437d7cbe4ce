import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { redisSettings, redisTls } from '../../process/settings/redis-settings';
import { setting, type Environment } from './environment';
import { lineOf } from './fault';
import { findRedis } from './find-redis';
import type { Ground } from './ground';
import { ownServer, type OwnServer } from './own-server';
import { pingRedis, startRedisServer } from './redis-server';
import { secondsSince } from './report';
import type { ServersPlan } from './servers-plan';
import { startOnFreePort } from './start-on-free-port';
import { waitUntil } from './wait-until';

/** Redis at `url`; `own` only when it is ours. */
export interface Redis {
  readonly url: string;
  readonly own?: OwnServer;
}

/** The Redis of REDIS_URL, else a server of our own. */
export const bringUpRedis = async (plan: ServersPlan, ground: Ground): Promise<Redis> => {
  const url = setting(plan.env, 'REDIS_URL');
  return url === undefined ? startOwn(plan, ground) : connectTo(url, plan.env, ground);
};

const startOwn = async (plan: ServersPlan, ground: Ground): Promise<Redis> => {
  const command = plan.commands?.redis ?? (await findRedis(plan.env, ground));
  return startOnFreePort(async () => {
    const begin = Date.now();
    const port = await plan.choosePort(plan.ports.redis);
    const [folder, log] = [join(plan.folder, 'redis'), join(plan.logs, 'redis.log')];
    const start = () => startRedisServer({ command, folder, port, keep: plan.keepRedis, log, env: plan.env }, ground);
    const child = await start();
    const url = `redis://127.0.0.1:${port}`;
    ground.report('redis', `answers at ${url} after ${secondsSince(begin)}`);
    return { url, own: ownServer(child, start) };
  });
};

const GIVEN_WITHIN_MS = 5_000;

/** A server that is away is waited for by the processes themselves, so it is only reported. */
const connectTo = async (url: string, env: Environment, ground: Ground): Promise<Redis> => {
  const shown = withoutPassword(url);
  // Certificates that cannot be read are told by the processes.
  const redis = redisSettings(url, E.getOrElse(() => ({}))(redisTls(env)));
  await waitUntil(() => pingRedis(redis), { what: 'it', deadlineMs: GIVEN_WITHIN_MS, signal: ground.signal }).then(
    () => {
      ground.report('redis', `answers at ${shown} (REDIS_URL)`);
    },
    (thrown: unknown) => {
      ground.signal.throwIfAborted();
      ground.report('redis', `${shown} (REDIS_URL): ${lineOf(thrown)}; going on, it may come`);
    },
  );
  return { url };
};

/** The address as it may be printed. */
export const withoutPassword = (url: string): string => url.replace(/\/\/[^@/]*@/, '//***@');
