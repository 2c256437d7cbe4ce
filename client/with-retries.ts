import * as E from 'fp-ts/Either';
import { backoffMs, pause } from '../process/backoff';
import { isPassing, isUnsure, type Failure, type Reason } from './failure';

/** The limits of retries. */
export interface Patience {
  /** Number of tries, the first included. */
  readonly tries: number;
  /** Time limit (ms) of one try. */
  readonly tryMs: number;
  /** Time (ms) in which retries may begin. */
  readonly retryForMs: number;
  /** Time limit (ms) of all tries and the pauses between them. */
  readonly deadlineMs: number;
}

/** The retries of a call. */
export interface Retrying {
  readonly patience: Patience;
  /** Whether the call is a write. */
  readonly writes: boolean;
  readonly signal: AbortSignal;
  /** Called with the reason before each retry. What it throws is ignored. */
  readonly onRetry: ((reason: Reason) => void) | undefined;
}

/** The longest time (ms) that a timer takes; a longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1;

const PAUSES = { firstMs: 100, longestMs: 5_000 };

/**
 * The final result of `attempt`: it is retried after transient failures, not before `Retry-After`, and not after the limits.
 * An attempt gets its time limit (ms).
 */
export const withRetries = async <A>(
  { patience, writes, signal, onRetry }: Retrying,
  attempt: (ms: number) => Promise<E.Either<Reason, A>>,
): Promise<E.Either<Failure, A>> => {
  const began = performance.now();
  const until = began + patience.deadlineMs;
  const lastBegin = Math.min(began + patience.retryForMs, until);
  let mayHaveChanged = false;
  for (let tries = 1; ; tries += 1) {
    if (signal.aborted) return E.left({ _tag: 'Aborted', mayHaveChanged });
    const ms = Math.min(patience.tryMs, until - performance.now(), LONGEST_MS);
    const done = await attempt(Math.max(1, Math.ceil(ms)));
    if (E.isRight(done)) return done;
    const reason = done.left;
    mayHaveChanged ||= writes && isUnsure(reason);
    const wait = waitAfter(reason, tries);
    if (!isPassing(reason) || tries >= patience.tries || performance.now() + wait >= lastBegin)
      return E.left({ ...reason, mayHaveChanged });
    E.tryCatch(() => onRetry?.(reason), E.toError);
    await pause(wait, signal);
  }
};

/** At least the requested pause, with jitter, so that many clients do not return together. */
const waitAfter = (reason: Reason, tries: number): number => {
  const asked = 'retryAfter' in reason ? (reason.retryAfter ?? 0) * 1_000 : 0;
  return Math.min(LONGEST_MS, asked + backoffMs(PAUSES, tries - 1));
};
