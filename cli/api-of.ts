import * as E from 'fp-ts/Either';
import { createPointAlarmClient, type PointAlarmClient, type Result } from '../client';
import type { Surroundings } from './surroundings';
import { linesOf, commandFailureOf, type CommandFailure } from './command-failure';
import { printable } from './printable';
import { createWaiting } from './waiting';

/** Calls the API by its client. */
export type Api = <A>(ask: (client: PointAlarmClient) => Result<A>) => Promise<E.Either<CommandFailure, A>>;

interface ApiOptions {
  /** Time (ms) after the first try of a call in which retries may begin. */
  readonly patienceMs?: number;
  /** Receives a line when nothing is answered for a while. */
  readonly report?: (line: string) => void;
}

const PATIENCE_MS = 3_000;

/** Pauses (ms) from this on are told. */
const SAID_FROM_MS = 1_000;

/** Time limit (ms) of one try; beyond the API's own deadline. */
const ANSWER_WITHIN_MS = 30_000;

/** The API that a command calls. */
export const apiOf = (
  { settings, interrupted: signal }: Pick<Surroundings, 'settings' | 'interrupted'>,
  { patienceMs: retryForMs = PATIENCE_MS, report = () => undefined }: ApiOptions = {},
): Api => {
  const { url, token } = settings.api;
  const failure = commandFailureOf(url);
  const waiting = createWaiting(`The API at ${url} does not answer`, (why) => {
    report(`waiting up to ${retryForMs / 1_000} s: ${why}`);
  });
  const client = createPointAlarmClient({
    baseUrl: url,
    token,
    signal,
    tries: Infinity,
    tryMs: ANSWER_WITHIN_MS,
    retryForMs,
    deadlineMs: Infinity,
    onRetry: (reason, ms) => {
      const [why = ''] = linesOf(failure({ ...reason, mayHaveChanged: false }));
      const detail = reason._tag === 'Problem' ? `: ${printable(reason.body.detail)}` : '';
      const again = ms < SAID_FROM_MS ? '' : `; again in ${Math.ceil(ms / 1_000)} s`;
      waiting.because(`${why}${detail}${again}`);
    },
  });
  return async (ask) => E.mapLeft(failure)(await waiting.during(ask(client)));
};
