import { LRUCache } from 'lru-cache';

/** The allowed calls of a user: `perSecond` on average, `burst` at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Of an answer; none where there is no limit. */
type RateHeaders = Readonly<Record<string, string>>;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Capacity in users; the least recently active one is evicted, and starts with a full bucket again. */
const MOST_USERS = 10_000;

/** A limiter by `rate`; 0 per second: no limit. `now` is a clock in ms that never goes back. */
export const createRateLimiter = (rate: Rate, now: () => number = () => performance.now()) => {
  const { perSecond, burst } = rate;
  /** What each user had left at a time; their bucket fills by `perSecond` since, up to `burst`. */
  const buckets = new LRUCache<string, { readonly left: number; readonly at: number }>({ max: MOST_USERS });
  const leftOf = (userId: string): number => {
    const { left, at } = buckets.get(userId) ?? { left: burst, at: now() };
    return Math.min(burst, left + (perSecond * (now() - at)) / 1_000);
  };
  const leave = (userId: string, left: number): RateHeaders => {
    if (perSecond === 0) return {};
    buckets.set(userId, { left, at: now() });
    return rateHeaders(rate, left);
  };
  return {
    /** Takes one call of the user's allowance, where one is left. */
    take: (userId: string): { readonly isTaken: boolean; readonly headers: RateHeaders } => {
      const left = leftOf(userId);
      const isTaken = left >= 1;
      const headers = leave(userId, isTaken ? left - 1 : left);
      const retryAfter = { 'Retry-After': String(Math.ceil((1 - left) / perSecond)) };
      return { isTaken, headers: isTaken ? headers : { ...headers, ...retryAfter } };
    },
    /** Charges a call that counts as several, and returns the updated headers. More than the user has left makes a debt. */
    charge: (userId: string, cost: number): RateHeaders => leave(userId, leftOf(userId) - cost),
  };
};

/**
 * The limit and its remainder as structured fields (draft-ietf-httpapi-ratelimit-headers-10): `q` calls in a window of `w` seconds, in
 * which an empty bucket fills; `r` calls are left, and the bucket is full after `t` seconds without calls.
 */
const rateHeaders = ({ perSecond, burst }: Rate, left: number): RateHeaders => ({
  'RateLimit-Policy': `"user";q=${burst};w=${Math.ceil(burst / perSecond)}`,
  RateLimit: `"user";r=${Math.max(0, Math.floor(left))};t=${Math.ceil((burst - left) / perSecond)}`,
});
