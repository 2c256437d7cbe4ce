import { sequenceT } from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { redisFaults, redisRows, redisSettings, redisTls, type RedisSettings } from './redis-settings';
import { readSettings, type Environment } from './setting';
import { cliOnlySettings, sharedSettings } from './settings';
import { temporalProfile, temporalSettings, type TemporalSettings } from './temporal-settings';
import { validation } from './validation';

/** The settings of the command `pas`. */
export interface CliSettings {
  readonly api: { readonly url: string; readonly token?: string };
  readonly redis: RedisSettings;
  readonly stream: string;
  readonly partitions: number;
  readonly replicasRequired: number;
}

/** The settings of the command in `env`, or every fault found. */
export const cliSettings = (env: Environment): E.Either<ReadonlyArray<string>, CliSettings> =>
  pipe(
    sequenceT(validation)(readSettings(table, env), redisTls(env), redisFaults(env)),
    E.map(([{ POINT_ALARM_URL: url, POINT_ALARM_TOKEN: token, ...values }, tls]) => ({
      api: { url: url.replace(/\/+$/u, ''), ...(token !== undefined && { token }) },
      redis: redisSettings(values, tls),
      stream: values.EVENT_STREAM,
      partitions: values.EVENT_STREAM_PARTITIONS,
      replicasRequired: values.REDIS_REPLICAS_REQUIRED,
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
  ...redisRows,
  EVENT_STREAM: sharedSettings.EVENT_STREAM,
  EVENT_STREAM_PARTITIONS: sharedSettings.EVENT_STREAM_PARTITIONS,
  REDIS_REPLICAS_REQUIRED: sharedSettings.REDIS_REPLICAS_REQUIRED,
};
