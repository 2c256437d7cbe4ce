import * as E from 'fp-ts/Either';
import { createPointAlarmClient, type PointAlarmClient, type Result } from '../client';
import type { Surroundings } from './surroundings';
import { linesOf, type Trouble } from './trouble';
import { troubleOf } from './trouble-of';
import { createWaiting } from './waiting';

/** Asks the API by its client. */
export type Api = <A>(ask: (client: PointAlarmClient) => Result<A>) => Promise<E.Either<Trouble, A>>;

interface ApiOptions {
  /** How long after the first try of a call others may begin. */
  readonly patienceMs?: number;
  /** Told when nothing is answered for a while. */
  readonly tell?: (line: string) => void;
}

const PATIENCE_MS = 3_000;

/** Beyond the API's own deadline. */
const ANSWER_WITHIN_MS = 30_000;

/** The API that a command calls. */
export const apiOf = (
  { settings, interrupted: signal }: Pick<Surroundings, 'settings' | 'interrupted'>,
  { patienceMs: retryForMs = PATIENCE_MS, tell = () => undefined }: ApiOptions = {},
): Api => {
  const { url, token } = settings.api;
  const trouble = troubleOf(url);
  const waiting = createWaiting(`The API at ${url} does not answer`, (why) => {
    tell(`waiting up to ${retryForMs / 1_000} s: ${why}`);
  });
  const client = createPointAlarmClient({
    baseUrl: url,
    token,
    signal,
    tries: Infinity,
    tryMs: ANSWER_WITHIN_MS,
    retryForMs,
    deadlineMs: Infinity,
    onRetry: (reason) => {
      waiting.because(linesOf(trouble({ ...reason, mayHaveChanged: false }))[0] ?? '');
    },
  });
  return async (ask) => E.mapLeft(trouble)(await waiting.during(ask(client)));
};
