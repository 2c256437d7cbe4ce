import { createClient } from 'redis';
import { afterAll, beforeAll, inject } from 'vitest';

/** A connection of the tests of a file to the Redis that the tests of a run share. */
export const sharedRedis = () => {
  const redis = createClient({ url: inject('redisUrl') });
  beforeAll(() => redis.connect());
  afterAll(() => redis.destroy());
  return redis;
};
