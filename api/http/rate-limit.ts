import { LRUCache } from 'lru-cache';

/** The allowed calls of a user: `perSecond` on average, `burst` at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The tokens left at a time of a monotonic clock (ms). Negative: a debt. */
interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

export const fullBucket = ({ burst }: Rate, at: number): Bucket => ({ tokens: burst, at });

/** The bucket at `now`: it fills by `perSecond`, up to `burst`. */
export const filled = ({ perSecond, burst }: Rate, { tokens, at }: Bucket, now: number): Bucket => ({
  tokens: Math.min(burst, tokens + (perSecond * Math.max(0, now - at)) / 1_000),
  at: Math.max(at, now),
});

/** Whether a call may be made. */
export const isOpen = ({ tokens }: Bucket): boolean => tokens >= 1;

/** The bucket after calls of `cost` tokens. A cost beyond its content leaves a debt. */
export const charged = ({ tokens, at }: Bucket, cost: number): Bucket => ({ tokens: tokens - cost, at });

/** Seconds until the bucket, left alone, holds `wanted`; 0 when it does. */
export const secondsUntil = ({ perSecond }: Rate, { tokens }: Bucket, wanted: number): number =>
  Math.max(0, (wanted - tokens) / perSecond);

/** The allowance of a user. Without headers there is no limit. */
interface Allowance {
  readonly isTaken: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Limits the rate of each user's calls to this process. */
export interface RateLimiter {
  /** Takes one call of the user's allowance, where one is left. */
  readonly take: (userId: string) => Allowance;
  /** Charges a call that counts as several, and returns the updated headers. */
  readonly charge: (userId: string, cost: number) => Allowance['headers'];
}

/** Capacity in users; the least recently active one is evicted, and starts with a full bucket again. */
const MOST_USERS = 10_000;

/** A limiter by `rate`; 0 per second: no limit. `now` is a clock in ms that never goes back. */
export const createRateLimiter = (rate: Rate, now: () => number = () => performance.now()): RateLimiter =>
  rate.perSecond === 0 ? noLimit : limitedBy(rate, now);

const limitedBy = (rate: Rate, now: () => number): RateLimiter => {
  const buckets = new LRUCache<string, Bucket>({ max: MOST_USERS });
  const bucketOf = (userId: string): Bucket => filled(rate, buckets.get(userId) ?? fullBucket(rate, now()), now());
  const charge = (userId: string, cost: number): Bucket => {
    const left = charged(bucketOf(userId), cost);
    buckets.set(userId, left);
    return left;
  };
  return {
    take: (userId) => {
      const isTaken = isOpen(bucketOf(userId));
      const left = charge(userId, isTaken ? 1 : 0);
      const headers = rateHeaders(rate, left);
      return isTaken
        ? { isTaken, headers }
        : { isTaken, headers: { ...headers, 'Retry-After': String(Math.ceil(secondsUntil(rate, left, 1))) } };
    },
    charge: (userId, cost) => rateHeaders(rate, charge(userId, cost)),
  };
};

const noLimit: RateLimiter = { take: () => ({ isTaken: true, headers: {} }), charge: () => ({}) };

/**
 * The limit and its remainder, as structured fields. `q` calls in a window of `w` seconds, in which an empty bucket fills;
 * `r` calls are left, and the bucket is full after `t` seconds without calls.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10.
 */
const rateHeaders = (rate: Rate, bucket: Bucket): Readonly<Record<string, string>> => ({
  'RateLimit-Policy': `"user";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`,
  RateLimit: `"user";r=${Math.max(0, Math.floor(bucket.tokens))};t=${Math.ceil(secondsUntil(rate, bucket, rate.burst))}`,
});
