import { rateHeaders } from './rate-headers';
import { isOpen, secondsUntil, type Rate } from './token-bucket';
import { createUserBuckets } from './user-buckets';

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

/** A limiter by `rate`; none where it is 0 a second. `now` is a clock in ms that never goes back. */
export const createRateLimiter = (rate: Rate, now: () => number = () => performance.now()): RateLimiter =>
  rate.perSecond === 0 ? noLimit : limitedBy(rate, now);

const limitedBy = (rate: Rate, now: () => number): RateLimiter => {
  const buckets = createUserBuckets(rate, now);
  return {
    take: (userId) => {
      const isTaken = isOpen(buckets.of(userId));
      const left = buckets.charge(userId, isTaken ? 1 : 0);
      const headers = rateHeaders(rate, left);
      return isTaken
        ? { isTaken, headers }
        : { isTaken, headers: { ...headers, 'Retry-After': String(Math.ceil(secondsUntil(rate, left, 1))) } };
    },
    charge: (userId, cost) => rateHeaders(rate, buckets.charge(userId, cost)),
  };
};

const noLimit: RateLimiter = { take: () => ({ isTaken: true, headers: {} }), charge: () => ({}) };
