import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { readSettings, type Environment } from './setting';
import { cliOnlySettings, sharedSettings } from './settings';

/** What the command `pas` is set to. */
export interface CliSettings {
  readonly api: { readonly url: string; readonly token?: string };
  readonly redis: { readonly url: string };
  readonly stream: string;
}

/** The settings of the command in `env`, or every fault found. */
export const cliSettings = (env: Environment): E.Either<ReadonlyArray<string>, CliSettings> =>
  pipe(
    readSettings(table, env),
    E.map(({ POINT_ALARM_URL: url, POINT_ALARM_TOKEN: token, REDIS_URL, EVENT_STREAM: stream }) => ({
      api: { url: url.replace(/\/+$/u, ''), ...(token !== undefined && { token }) },
      redis: { url: REDIS_URL },
      stream,
    })),
  );

const table = {
  ...cliOnlySettings,
  REDIS_URL: sharedSettings.REDIS_URL,
  EVENT_STREAM: sharedSettings.EVENT_STREAM,
};
