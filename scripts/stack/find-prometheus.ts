import * as E from 'fp-ts/Either';
import { aptInstall } from './apt-install';
import type { Environment } from './environment';
import type { Ground } from './ground';
import { onPath } from './run-command';
import { firstWay } from './ways';

/** A Prometheus for the tests of the alert rules: on PATH, else installed where that is possible. Errors: a fault when no way serves. */
export const findPrometheus = async (env: Environment, ground: Ground): Promise<string> => {
  const { way, value } = await firstWay('Prometheus', [
    {
      name: 'prometheus on PATH',
      find: () => Promise.resolve(E.fromNullable('there is none')(onPath('prometheus', env))),
    },
    {
      name: 'apt-get install prometheus',
      find: () => aptInstall({ part: 'prometheus', name: 'prometheus' }, env, ground),
    },
  ]);
  ground.report('prometheus', `${value} (${way})`);
  return value;
};
