import { LRUCache } from 'lru-cache';
import { charged, filled, fullBucket, type Bucket, type Rate } from './token-bucket';

/** The current buckets of users. */
export interface UserBuckets {
  readonly of: (userId: string) => Bucket;
  /** The user's bucket after calls of `cost` tokens. */
  readonly charge: (userId: string, cost: number) => Bucket;
}

/** Capacity in users; the least recently active one is evicted, and starts with a full bucket again. */
const MOST_USERS = 10_000;

/** A bucket by `rate` for each user. `now` is a clock in ms that never goes back. */
export const createUserBuckets = (rate: Rate, now: () => number): UserBuckets => {
  const buckets = new LRUCache<string, Bucket>({ max: MOST_USERS });
  const of = (userId: string): Bucket => filled(rate, buckets.get(userId) ?? fullBucket(rate, now()), now());
  return {
    of,
    charge: (userId, cost) => {
      const left = charged(of(userId), cost);
      buckets.set(userId, left);
      return left;
    },
  };
};
