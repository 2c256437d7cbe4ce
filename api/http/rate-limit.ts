import { LRUCache } from 'lru-cache';

/** The calls that a user may make: `perSecond` on average, and `burst` at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The rate limit headers of an answer; empty if there is no limit. */
type RateHeaders = Readonly<Record<string, string>>;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Most users with a bucket. The least recently active user is evicted, and then starts with a full bucket again. */
const MOST_USERS = 10_000;

/** Limits the calls of each user to `rate`; 0 per second means no limit. `now` is a clock in ms that never goes back. */
export const createRateLimiter = (rate: Rate, now: () => number = () => performance.now()) => {
  const { perSecond, burst } = rate;
  /** A user's bucket: the calls left at the time `at`. From then on `perSecond` calls are added, up to `burst`. */
  const buckets = new LRUCache<string, { readonly left: number; readonly at: number }>({ max: MOST_USERS });
  const callsLeftOf = (userId: string): number => {
    const { left, at } = buckets.get(userId) ?? { left: burst, at: now() };
    return Math.min(burst, left + (perSecond * (now() - at)) / 1_000);
  };
  const storeCallsLeft = (userId: string, left: number): RateHeaders => {
    if (perSecond === 0) return {};
    buckets.set(userId, { left, at: now() });
    return rateHeaders(rate, left);
  };
  return {
    consume: (userId: string): { readonly isAllowed: boolean; readonly headers: RateHeaders } => {
      const left = callsLeftOf(userId);
      const isAllowed = left >= 1;
      const headers = storeCallsLeft(userId, isAllowed ? left - 1 : left);
      const retryAfter = { 'Retry-After': String(Math.ceil((1 - left) / perSecond)) };
      return { isAllowed, headers: isAllowed ? headers : { ...headers, ...retryAfter } };
    },
    /** Takes `cost` calls from the user's bucket, even if fewer are left (a debt), and returns the updated headers. */
    charge: (userId: string, cost: number): RateHeaders => storeCallsLeft(userId, callsLeftOf(userId) - cost),
  };
};

/**
 * The limit and what is left of it, as structured fields (draft-ietf-httpapi-ratelimit-headers-10): `q` calls in a window of
 * `w` seconds, in which an empty bucket fills; `r` calls are left, and the bucket is full after `t` seconds without calls.
 */
const rateHeaders = ({ perSecond, burst }: Rate, left: number): RateHeaders => ({
  'RateLimit-Policy': `"user";q=${burst};w=${Math.ceil(burst / perSecond)}`,
  RateLimit: `"user";r=${Math.max(0, Math.floor(left))};t=${Math.ceil((burst - left) / perSecond)}`,
});
