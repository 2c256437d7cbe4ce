import * as E from 'fp-ts/Either';
import { backoffMs } from '../process/backoff';
import { isPassing, isUnsure, type Failure, type Reason } from './failure';

/** How long one tries. */
export interface Patience {
  /** Tries, the first included. */
  readonly tries: number;
  /** For one try (ms). */
  readonly tryMs: number;
  /** Within which time other tries may begin (ms). */
  readonly retryForMs: number;
  /** For all tries and the time between them (ms). */
  readonly deadlineMs: number;
}

/** How a call is made again. */
export interface Retrying {
  readonly patience: Patience;
  /** Whether an attempt asks for a change. */
  readonly writes: boolean;
  readonly signal: AbortSignal;
  /** Told why there will be another try, before it. */
  readonly onRetry: ((reason: Reason) => void) | undefined;
}

const PAUSES = { firstMs: 100, longestMs: 5_000 };

/**
 * What `attempt` comes to at last: it is tried again while what went wrong may pass, not before `Retry-After`, and not when
 * that would be too late. An attempt is told how long it may take (ms).
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
    const done = await attempt(Math.max(1, Math.ceil(Math.min(patience.tryMs, until - performance.now()))));
    if (E.isRight(done)) return done;
    const reason = done.left;
    mayHaveChanged ||= writes && isUnsure(reason);
    const wait = waitAfter(reason, tries);
    if (!isPassing(reason) || tries >= patience.tries || performance.now() + wait >= lastBegin)
      return E.left({ ...reason, mayHaveChanged });
    onRetry?.(reason);
    await sleep(wait, signal);
  }
};

/** At least as long as was asked for, and by chance longer, so that many clients do not come back together. */
const waitAfter = (reason: Reason, tries: number): number => {
  const asked = 'retryAfter' in reason ? (reason.retryAfter ?? 0) * 1_000 : 0;
  return asked + backoffMs(PAUSES, tries - 1);
};

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake);
  });
