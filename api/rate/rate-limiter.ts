import { LRUCache } from 'lru-cache';
import { charged, filled, fullBucket, isOpen, secondsUntil, type Bucket, type Rate } from './token-bucket';
import { rateHeaders } from './rate-headers';

/** What a user may still do. Without headers there is no limit. */
export interface Allowance {
  readonly isTaken: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bounds what each user may ask of this process. */
export interface RateLimiter {
  /** Takes a call of the user's, where one is left. */
  readonly take: (userId: string) => Allowance;
  /** Takes more for a call that turned out to be worth several, and gives the headers that are then true. */
  readonly charge: (userId: string, cost: number) => Allowance['headers'];
}

/** Users that are known at once; one who was not heard of for longest is forgotten, and has a full bucket again. */
const MOST_USERS = 10_000;

/** A limiter by `rate`; none where it is 0 a second. `now` is a clock in ms that never goes back. */
export const createRateLimiter = (rate: Rate, now: () => number = () => performance.now()): RateLimiter =>
  rate.perSecond === 0 ? noLimit : limitedBy(rate, now);

const limitedBy = (rate: Rate, now: () => number): RateLimiter => {
  const buckets = new LRUCache<string, Bucket>({ max: MOST_USERS });
  const bucketOf = (userId: string): Bucket => filled(rate, buckets.get(userId) ?? fullBucket(rate, now()), now());
  return {
    take: (userId) => {
      const bucket = bucketOf(userId);
      const isTaken = isOpen(bucket);
      const left = isTaken ? charged(bucket, 1) : bucket;
      buckets.set(userId, left);
      const headers = rateHeaders(rate, left);
      return isTaken
        ? { isTaken, headers }
        : { isTaken, headers: { ...headers, 'Retry-After': String(Math.ceil(secondsUntil(rate, left, 1))) } };
    },
    charge: (userId, cost) => {
      const left = charged(bucketOf(userId), cost);
      buckets.set(userId, left);
      return rateHeaders(rate, left);
    },
  };
};

const noLimit: RateLimiter = { take: () => ({ isTaken: true, headers: {} }), charge: () => ({}) };
