import { sequenceT } from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { redisSettings, redisTls, redisTlsRows, type RedisSettings } from './redis-settings';
import { readSettings, type Environment } from './setting';
import { cliOnlySettings, sharedSettings } from './settings';
import { temporalProfile, temporalSettings, type TemporalSettings } from './temporal-settings';
import { validation } from './validation';

/** The settings of the command `pas`. */
export interface CliSettings {
  readonly api: { readonly url: string; readonly token?: string };
  readonly redis: RedisSettings;
  readonly stream: string;
}

/** The settings of the command in `env`, or every fault found. */
export const cliSettings = (env: Environment): E.Either<ReadonlyArray<string>, CliSettings> =>
  pipe(
    sequenceT(validation)(readSettings(table, env), redisTls(env)),
    E.map(([{ POINT_ALARM_URL: url, POINT_ALARM_TOKEN: token, REDIS_URL, EVENT_STREAM: stream }, tls]) => ({
      api: { url: url.replace(/\/+$/u, ''), ...(token !== undefined && { token }) },
      redis: redisSettings(REDIS_URL, tls),
      stream,
    })),
  );

/** How the command reaches Temporal, or every fault found. */
export const cliTemporalSettings = (env: Environment): E.Either<ReadonlyArray<string>, TemporalSettings> =>
  pipe(
    sequenceT(validation)(readSettings(sharedSettings, env), temporalProfile(env)),
    E.map(([values, profile]) => temporalSettings(profile, values)),
  );

const table = {
  ...cliOnlySettings,
  REDIS_URL: sharedSettings.REDIS_URL,
  ...redisTlsRows,
  EVENT_STREAM: sharedSettings.EVENT_STREAM,
};
