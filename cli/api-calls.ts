import * as E from 'fp-ts/Either';
import { createPointAlarmClient, type AlarmStatus, type Failure, type PointAlarmClient, type Result } from '../client';
import { inParallel } from '../process/in-parallel';
import { failureOfCall, printable, type CommandFailure } from './failure';
import type { CommandContext } from './command-context';

export type Api = <A>(ask: (client: PointAlarmClient) => Result<A>) => Promise<E.Either<CommandFailure, A>>;

type Caller = Pick<CommandContext, 'interrupted'> & {
  readonly settings: Pick<CommandContext['settings'], 'POINT_ALARM_URL' | 'POINT_ALARM_TOKEN'>;
};

interface ApiOptions {
  /** Time (ms) after a call's first try in which retries may begin; 3,000 by default. */
  readonly patienceMs?: number;
  /** Gets a line for the user when no call in flight has got an answer for 3 s. */
  readonly report?: (line: string) => void;
}

/** A report of a retry states the pause before the retry only if the pause is at least this long (ms). */
const REPORTED_FROM_MS = 1_000;
/** Time limit (ms) of one try. It is longer than the API's own deadline, so that the API can answer that it timed out. */
const ANSWER_WITHIN_MS = 30_000;

export const apiOf = (
  { settings: { POINT_ALARM_URL, POINT_ALARM_TOKEN: token }, interrupted: signal }: Caller,
  { patienceMs: retryForMs = 3_000, report = () => undefined }: ApiOptions = {},
): Api => {
  const url = POINT_ALARM_URL.replace(/\/+$/u, '');
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
    onRetry: (failure, ms) => {
      const [why = ''] = failureOfCall(url, { ...failure, mayHaveChanged: false }).lines;
      const detail = failure._tag === 'Problem' ? `: ${printable(failure.body.detail)}` : '';
      const again = ms < REPORTED_FROM_MS ? '' : `; again in ${Math.ceil(ms / 1_000)} s`;
      waiting.because(`${why}${detail}${again}`);
    },
  });
  return async (ask) => E.mapLeft((failure: Failure) => failureOfCall(url, failure))(await waiting.during(ask(client)));
};

/** Makes one call and returns its answer. Errors: it throws a `CommandFailure` if the call fails. */
export const answerOf = async <A>(context: CommandContext, ask: (client: PointAlarmClient) => Result<A>) => {
  const answer = await apiOf(context)(ask);
  if (E.isLeft(answer)) throw answer.left;
  return answer.right;
};

const AT_ONCE = 16;

export const readStatuses = async (api: Api, nodeIds: ReadonlyArray<string>) => {
  const answers: (readonly [nodeId: string, E.Either<CommandFailure, AlarmStatus>])[] = [];
  await inParallel(nodeIds.entries(), AT_ONCE, async ([index, nodeId]) => {
    answers[index] = [nodeId, await api((client) => client.getAlarmStatus(nodeId))];
  });
  return answers;
};

const QUIET_MS = 3_000;

/** Reports `why`, or the last reason from `because`, when no call gets an answer for 3 s; again only after a further answer. */
export const createWaiting = (why: string, report: (why: string) => void) => {
  let known = why;
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    because: (reason: string): void => void (known = reason),
    during: async <A>(call: Promise<A>): Promise<A> => {
      timer ??= setTimeout(() => report(known), QUIET_MS);
      inFlight += 1;
      try {
        return await call;
      } finally {
        inFlight -= 1;
        timer.refresh();
        if (inFlight === 0) {
          clearTimeout(timer);
          timer = undefined;
        }
      }
    },
  };
};
