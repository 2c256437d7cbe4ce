import { afterAll, beforeAll } from 'vitest';

/** What `start` gives, to all tests of a file: empty until it has begun before them. It is stopped after them. */
export const forFile = <A extends object>(start: () => Promise<A>, stop: (started: A) => unknown): A => {
  const started = Object.create(null) as A;
  beforeAll(async () => void Object.assign(started, await start()));
  afterAll(async () => void (await stop(started)));
  return started;
};
