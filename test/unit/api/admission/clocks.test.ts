import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DEADLINE_MS, serverOf } from './virtual-server';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const HOUR_MS = 3_600_000;

describe.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('a clock that is set %s by an hour', (_, step) => {
  const stepClock = (): void => void vi.setSystemTime(Date.now() + step);

  test('makes no call late, and none that waits longer', async () => {
    const { submit, refused } = serverOf(() => 100);
    const began = performance.now();
    const calls = Array.from({ length: 40 }, (__, index) => submit(`n${index}`, 'call', { userId: 'u' }));
    stepClock();
    await vi.advanceTimersByTimeAsync(3_000);
    for (const answer of await Promise.all(calls)) expect(answer).toEqual(E.right('call'));
    expect(performance.now() - began).toBe(3_000);
    expect(refused).toEqual([]);
  });

  test('ends no attempt early, and none later than its deadline', async () => {
    const ends: number[] = [];
    const { submit } = serverOf(() => 'is silent');
    const began = performance.now();
    void submit('n', 'call', { userId: 'u', until: began + 5_000 }).then((answer) => {
      ends.push(performance.now() - began);
      expect(answer).toEqual(E.left({ _tag: 'TimedOut' }));
    });
    await vi.advanceTimersByTimeAsync(1_000);
    stepClock();
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(ends).toEqual([4_900]);
  });

  test('gives up a server that stays unavailable after as long', async () => {
    const { submit } = serverOf(() => 'unavailable');
    const began = performance.now();
    const ended = submit('n', 'call', { userId: 'u' }).then(() => performance.now() - began);
    await vi.advanceTimersByTimeAsync(1_000);
    stepClock();
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(await ended).toBeGreaterThan(3_000);
    expect(await ended).toBeLessThan(5_100);
  });
});

test('a call ends at the deadline that it came with, whenever it was submitted', async () => {
  const { submit, refused } = serverOf(() => 'is silent');
  const until = performance.now() + 2_000;
  await vi.advanceTimersByTimeAsync(1_500);
  const ended = submit('n', 'call', { userId: 'u', until }).then(() => performance.now());
  await vi.advanceTimersByTimeAsync(DEADLINE_MS);
  expect(await ended).toBeLessThanOrEqual(until);
  expect(await submit('n', 'call', { userId: 'u', until })).toMatchObject(E.left({ _tag: 'Unavailable' }));
  expect(refused).toEqual(['late']);
});
