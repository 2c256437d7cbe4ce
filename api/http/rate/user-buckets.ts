import { LRUCache } from 'lru-cache';
import { charged, filled, fullBucket, type Bucket, type Rate } from './token-bucket';

/** The buckets of users, as they are now. */
export interface UserBuckets {
  readonly of: (userId: string) => Bucket;
  /** The user's bucket after calls worth `cost`. */
  readonly charge: (userId: string, cost: number) => Bucket;
}

/** Users that are known at once; one who was not heard of for longest is forgotten, and has a full bucket again. */
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
