import * as Apply from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { getSemigroup } from 'fp-ts/ReadonlyArray';
import * as connections from './connections';
import { readValues, type Environment, type Validated } from './read';
import type { Values } from './table';

export type { PayloadKeys, HostPort } from './codecs';
export { textOf, type Environment } from './read';
export type { Certificates, RedisSettings, TemporalSettings } from './connections';

interface Servers {
  readonly redis: connections.RedisSettings;
  readonly temporal: connections.TemporalSettings;
}

export type SharedSettings = Pick<Values<'api'>, keyof Values<'api'> & keyof Values<'worker'>>;

export type ApiSettings = Values<'api'> & Servers;
export type WorkerSettings = Values<'worker'> & Servers;
export type CliSettings = Values<'pas'> & Pick<Servers, 'redis'>;

export const apiSettings = (env: Environment): Validated<ApiSettings> => withServers(readValues('api', env), env);

export const workerSettings = (env: Environment): Validated<WorkerSettings> =>
  withServers(readValues('worker', env), env);

export const cliSettings = (env: Environment): Validated<CliSettings> =>
  pipe(
    all(readValues('pas', env), connections.redisCertificates(env)),
    E.map(([values, tls]) => ({ ...values, redis: connections.redisSettings(values, tls) })),
  );

/** The connection to Temporal for a command of `pas`, or every fault of all settings that the command reads. */
export const cliTemporalSettings = (env: Environment): Validated<connections.TemporalSettings> =>
  pipe(
    all(readValues('pas with Temporal', env), connections.temporalProfile(env), cliSettings(env)),
    E.map(([values, profile]) => connections.temporalSettings(values, profile)),
  );

const all = Apply.sequenceT(E.getApplicativeValidation(getSemigroup<string>()));

const withServers = <V extends SharedSettings>(values: Validated<V>, env: Environment) =>
  pipe(
    all(values, connections.redisCertificates(env), connections.temporalProfile(env)),
    E.map(([own, tls, profile]) => ({
      ...own,
      redis: connections.redisSettings(own, tls),
      temporal: connections.temporalSettings(own, profile),
    })),
  );

/** Returns the settings. If they have faults, it prints each fault once to standard error and exits with code 2. */
export const settingsOrExit = <A>(process: string, needed: Validated<A>): A => {
  if (E.isRight(needed)) return needed.right;
  globalThis.process.stderr.write(faultList(process, needed.left));
  return globalThis.process.exit(2);
};

export const faultList = (process: string, faults: ReadonlyArray<string>): string =>
  [`The ${process} cannot start:`, ...[...new Set(faults)].map((fault) => `  - ${fault}`), ''].join('\n');
