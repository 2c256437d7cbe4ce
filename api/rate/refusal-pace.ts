import { secondsUntil } from './token-bucket';
import { createUserBuckets } from './user-buckets';

/** What was refused. */
export interface Refusal {
  readonly status: number;
  /** Absent: a call without a good token, or bytes that are no call. */
  readonly userId?: string | undefined;
  /** How many refusals it counts as. */
  readonly cost: number;
}

/** Waits until the refusal may be answered. */
export type RefusalPace = (refusal: Refusal) => Promise<void>;

/** What is refused for what the call itself is. A conflict or an outage is not its fault. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 431]);

/** No answer waits longer (s): a connection without traffic is cut off after `SOCKET_TIMEOUT_MS`. */
const LONGEST_S = 2;

/**
 * Lets the answers to refusals of a user wait once he has more of them than `perSecond`; calls without a good token count as
 * those of one user. Who waits for answers sends no faster than they come, on however many connections, so bad calls cannot
 * take all of the process from good ones. 0 lets nothing wait.
 */
export const createRefusalPace = (perSecond: number, now: () => number = () => performance.now()): RefusalPace => {
  const rate = { perSecond, burst: perSecond / 10 };
  const buckets = createUserBuckets(rate, now);
  return async ({ status, userId = '', cost }) => {
    if (perSecond === 0 || !REFUSED.has(status)) return;
    const wait = Math.min(LONGEST_S, secondsUntil(rate, buckets.charge(userId, cost), 0));
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
  };
};
