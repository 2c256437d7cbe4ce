import * as E from 'fp-ts/Either';
import { aptInstall } from './apt-install';
import { setting, type Environment } from './environment';
import { fault } from './fault';
import type { Ground } from './ground';
import { isExecutable, onPath } from './run-command';
import { firstWay, type Way } from './ways';

/** The names that Chromium goes by. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * A Chromium for the tests of the documentation page: `CHROMIUM`, else on PATH, else installed where that is possible.
 *
 * Errors: a fault when CHROMIUM is set and does not serve, or when no way does.
 */
export const findChromium = async (env: Environment, ground: Ground): Promise<string> => {
  const { way, value } = await firstWay('Chromium', [
    { name: 'CHROMIUM', find: () => Promise.resolve(named(env)) },
    ...NAMES.map((name): Way<string> => ({
      name: `${name} on PATH`,
      find: () => Promise.resolve(E.fromNullable('there is none')(onPath(name, env))),
    })),
    {
      name: 'apt-get install chromium',
      find: () => aptInstall({ part: 'chromium', name: 'chromium' }, env, ground),
    },
  ]);
  ground.report('chromium', `${value} (${way})`);
  return value;
};

const named = (env: Environment): E.Either<string, string> => {
  const path = setting(env, 'CHROMIUM');
  if (path === undefined) return E.left('set it to the path of a chromium or google-chrome command');
  if (!isExecutable(path)) throw fault(`CHROMIUM does not serve: ${path} is no command`);
  return E.right(path);
};
