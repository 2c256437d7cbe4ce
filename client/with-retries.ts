import * as E from 'fp-ts/Either';
import type { ProblemType } from '../api/http/problems/catalogue';
import { backoffMs, pause } from '../process/backoff';
import type { ClientSettings, Failure, TryFailure } from './interface';

/** The retries of a call, by the settings of its client. */
interface Retrying extends Pick<ClientSettings, 'tries' | 'tryMs' | 'retryForMs' | 'deadlineMs' | 'onRetry'> {
  /** Whether the call is a write. */
  readonly writes: boolean;
  readonly signal: AbortSignal;
}

/** The longest time (ms) that a timer takes; a longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1;

const PAUSES = { firstMs: 100, longestMs: 5_000 };

/**
 * The final result of `attempt`: it is retried after transient failures, not before `Retry-After`, and not after the limits.
 * An attempt gets its time limit (ms).
 */
export const withRetries = async <A>(
  { tries: most = 4, tryMs = 15_000, retryForMs = Infinity, deadlineMs = 30_000, ...retrying }: Retrying,
  attempt: (ms: number) => Promise<E.Either<TryFailure, A>>,
): Promise<E.Either<Failure, A>> => {
  const { writes, signal, onRetry } = retrying;
  const began = performance.now();
  const until = began + deadlineMs;
  const lastBegin = Math.min(began + retryForMs, until);
  let mayHaveChanged = false;
  for (let tries = 1; ; tries += 1) {
    if (signal.aborted) return E.left({ _tag: 'Aborted', mayHaveChanged });
    const ms = Math.min(tryMs, until - performance.now(), LONGEST_MS);
    const done = await attempt(Math.max(1, Math.ceil(ms)));
    if (E.isRight(done)) return done;
    const failure = done.left;
    mayHaveChanged ||= writes && isUnsure(failure);
    const left = lastBegin - performance.now();
    const asked = 'retryAfter' in failure ? (failure.retryAfter ?? 0) * 1_000 : 0;
    const jittered = asked + jitterOf(asked, tries);
    const wait = asked > 0 && jittered >= left ? asked : Math.min(jittered, LONGEST_MS);
    if (!isPassing(failure) || tries >= most || wait >= left) return E.left({ ...failure, mayHaveChanged });
    E.tryCatch(() => onRetry?.(failure, wait), E.toError);
    await pause(wait, signal);
  }
};

/**
 * What is waited beyond `askedMs`, so that many clients do not return together: up to half of it, since the service asks many of
 * them for the same second, or a pause that grows with the tries.
 */
const jitterOf = (askedMs: number, tries: number): number =>
  Math.max((Math.random() * askedMs) / 2, backoffMs(PAUSES, tries - 1));

/** Whether a write that failed so may have changed its node. */
const isUnsure = (failure: TryFailure): boolean =>
  failure._tag === 'Problem' ? (failure.body.mayHaveChanged ?? failure.body.status >= 500) : failure._tag !== 'NotSent';

const PASSING_PROBLEMS: ReadonlyArray<ProblemType | 'other'> = [
  'request-timeout',
  'too-many-requests',
  'unavailable',
  'timeout',
];
const PASSING_STATUSES = [429, 502, 503, 504];

/** Whether a retry may succeed. A write has a key, so that its repeat counts once. */
const isPassing = (failure: TryFailure): boolean => {
  switch (failure._tag) {
    case 'Problem':
      return PASSING_PROBLEMS.includes(failure.type);
    case 'StrangeAnswer':
      return PASSING_STATUSES.includes(failure.status);
    default:
      return failure._tag === 'NoAnswer';
  }
};
