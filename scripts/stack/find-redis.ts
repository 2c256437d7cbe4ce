import * as E from 'fp-ts/Either';
import { aptInstall } from './apt-install';
import type { Environment } from './environment';
import type { Ground } from './ground';
import { onPath } from './run-command';
import { firstWay } from './ways';

/** A Redis or Valkey server on PATH, else installed where that is possible. Errors: a fault when no way serves. */
export const findRedis = async (env: Environment, ground: Ground): Promise<string> => {
  const { way, value } = await firstWay('Redis', [
    { name: 'REDIS_URL', find: () => Promise.resolve(E.left('set it to the address of a server, redis://host:port')) },
    pathWay('redis-server', env),
    pathWay('valkey-server', env),
    {
      name: 'apt-get install redis-server',
      find: () => aptInstall({ part: 'redis', name: 'redis-server' }, env, ground),
    },
  ]);
  ground.report('redis', `${value} (${way})`);
  return value;
};

const pathWay = (name: string, env: Environment) => ({
  name: `${name} on PATH`,
  find: () => Promise.resolve(E.fromNullable('there is none')(onPath(name, env))),
});
