import { secondsUntil } from './token-bucket';
import { createUserBuckets } from './user-buckets';

/** The request that was refused. */
export interface Refusal {
  readonly status: number;
  /** Absent: a call without a good token, or bytes that are no call. */
  readonly userId?: string | undefined;
  /** Its weight, in error responses. */
  readonly cost: number;
}

/** Waits until the error response may be sent. */
export type ErrorThrottle = (refusal: Refusal) => Promise<void>;

/** The clock of the throttle. */
export interface Clock {
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  readonly wait: (seconds: number) => Promise<void>;
}

/** Errors that the request itself causes; a conflict or an outage is not its fault. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 431]);

/** Longest delay of a response (s): a connection without traffic is cut off after `SOCKET_TIMEOUT_MS`. */
const LONGEST_S = 2;

/** Largest debt of a user (s): in a flood that goes on every response then has the longest delay. */
const MOST_OWED_S = 2 * LONGEST_S;

/**
 * Delays the error responses of a user once they come faster than `perSecond`; requests without a good token count as those
 * of one user. A response waits for the cost of the errors before it, never for its own: a lone error is answered at once,
 * however large. A caller that waits for responses sends no faster than they come, so bad requests cannot take all of the
 * process from good ones. A flood is forgotten `MOST_OWED_S` after its end. 0 delays nothing.
 */
export const createErrorThrottle = (
  perSecond: number,
  { now = () => performance.now(), wait = sleep }: Partial<Clock> = {},
): ErrorThrottle => {
  const rate = { perSecond, burst: perSecond / 10 };
  const buckets = createUserBuckets(rate, now);
  return async ({ status, userId = '', cost }) => {
    if (perSecond === 0 || !REFUSED.has(status)) return;
    const before = buckets.of(userId);
    buckets.charge(userId, Math.min(cost, before.tokens + MOST_OWED_S * perSecond));
    const seconds = Math.min(LONGEST_S, secondsUntil(rate, before, 0));
    if (seconds > 0) await wait(seconds);
  };
};

const sleep = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
