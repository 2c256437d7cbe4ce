import { setMaxListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { createShares } from '../../../../api/admission/shares';

/** Work for users with places for eight, and how it goes on. */
const started = () => {
  const shares = createShares(8);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const giveUp = new AbortController();
  setMaxListeners(0, giveUp.signal);
  const run = (userId: string): Promise<string | undefined> =>
    shares.run(userId, giveUp.signal, () => {
      begun.push(userId);
      return new Promise((resolve) => ends.push(() => resolve(userId)));
    });
  return { ...shares, begun, ends, giveUp, run };
};
const settled = () => new Promise(setImmediate);

test('a user has as many places as are left for others: one alone half of them', async () => {
  const { begun, run } = started();
  for (let count = 0; count < 20; count += 1) void run('a');
  await settled();
  expect(begun.join('')).toBe('aaaa');
  for (let count = 0; count < 20; count += 1) void run('b');
  void run('c');
  await settled();
  expect(begun.join('')).toBe('aaaabbc');
});

test('users take turns for places that become free', async () => {
  const { begun, ends, run } = started();
  const first = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(run);
  for (const userId of ['x', 'x', 'x', 'y', 'z']) void run(userId);
  await settled();
  for (const end of ends.splice(0, 4)) end();
  expect(await Promise.all(first.slice(0, 4))).toEqual(['a', 'b', 'c', 'd']);
  await settled();
  expect(begun.join('')).toBe('abcdefghxyz');
  for (const end of ends.splice(0, 2)) end();
  await settled();
  expect(begun.join('')).toBe('abcdefghxyzx');
});

test('who gave up before there was a place is not begun, and leaves none taken', async () => {
  const { begun, ends, giveUp, run } = started();
  const all = Array.from({ length: 6 }, () => run('a'));
  await settled();
  giveUp.abort();
  for (const end of ends) end();
  expect(await Promise.all(all)).toEqual(['a', 'a', 'a', 'a', undefined, undefined]);
  expect(await run('a')).toBeUndefined();
  expect(begun).toHaveLength(4);
});

test('more than a crowd that has waited for a while is too much, of its user alone', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { isFull, run } = started();
  for (let count = 0; count < 69; count += 1) void run('a');
  vi.advanceTimersByTime(301);
  expect(['a', 'b'].map(isFull)).toEqual([true, false]);
  vi.useRealTimers();
});
