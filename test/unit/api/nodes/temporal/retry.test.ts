import { ServiceError } from '@temporalio/client';
import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { retry } from '../../../../../api/nodes/temporal/retry';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const DEADLINE_MS = 10_000;

const grpcError = (code: number, details: string): ServiceError =>
  new ServiceError('failed', { cause: Object.assign(new Error(details), { code, details, metadata: {} }) });

/** A server that is silent until a time (ms from now), and then answers at once. */
const silentUntil = (ms: number) => {
  const begin = performance.now();
  const attempts: number[] = [];
  const attempt = async (until: number): Promise<string> => {
    attempts.push(performance.now() - begin);
    if (performance.now() - begin >= ms) return 'answered';
    await vi.advanceTimersByTimeAsync(until - performance.now());
    throw grpcError(4, 'Deadline exceeded after 3.0s,LB pick: 0.001s,remote_addr=10.0.0.2:7233');
  };
  return { attempts, attempt };
};

test('a call that a silent host has in hand is tried again every three seconds, within its deadline', async () => {
  const { attempts, attempt } = silentUntil(5_000);
  expect(await retry(attempt, performance.now() + DEADLINE_MS)).toEqual(E.right('answered'));
  expect(attempts).toEqual([0, 3_000, 6_000]);
});

test('a call that nobody answers ends at its deadline, and may have reached the server', async () => {
  const { attempts, attempt } = silentUntil(Infinity);
  const began = performance.now();
  expect(await retry(attempt, began + DEADLINE_MS)).toMatchObject(E.left({ kind: 'late', mayHaveReached: true }));
  expect(performance.now() - began).toBe(DEADLINE_MS);
  expect(attempts).toEqual([0, 3_000, 6_000, 9_000]);
});

test('a deadline that the server reports at once is tried again after growing pauses, not without any', async () => {
  const began = performance.now();
  const attempts: number[] = [];
  const answer = retry(async () => {
    attempts.push(performance.now() - began);
    if (attempts.length > 100) throw grpcError(5, 'a retry without a pause');
    throw grpcError(4, 'context deadline exceeded');
  }, began + DEADLINE_MS);
  await vi.advanceTimersByTimeAsync(DEADLINE_MS);
  expect(await answer).toMatchObject(E.left({ kind: 'late', mayHaveReached: true }));
  const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
  expect(Math.max(...pauses.slice(0, 3))).toBeLessThan(50);
  expect(Math.max(...pauses)).toBeGreaterThan(500);
  expect(attempts.at(-1)).toBeGreaterThan(DEADLINE_MS - 1_600);
});

test('an attempt is told whether one before it may have reached the server', async () => {
  const reached: boolean[] = [];
  const failures = ['14 No connection established', '14 Connection dropped', '14 No connection established'];
  const answer = retry(async (_until, mayHaveReached) => {
    const failure = failures[reached.length];
    reached.push(mayHaveReached);
    if (failure !== undefined) throw grpcError(14, failure);
    return Promise.resolve('answered');
  }, performance.now() + DEADLINE_MS);
  await vi.advanceTimersByTimeAsync(DEADLINE_MS);
  expect(await answer).toEqual(E.right('answered'));
  expect(reached).toEqual([false, false, true, true]);
});

test('a call that is given up as refused may have been carried out by an attempt before it', async () => {
  let tries = 0;
  const answer = await retry(async (until) => {
    tries += 1;
    if (tries > 1) throw grpcError(5, 'not found');
    await vi.advanceTimersByTimeAsync(until - performance.now());
    throw grpcError(4, 'Deadline exceeded after 3.0s,LB pick: 0.001s,remote_addr=10.0.0.2:7233');
  }, performance.now() + DEADLINE_MS);
  expect(answer).toMatchObject(E.left({ kind: 'final', mayHaveReached: true }));
});

/** A server that is unavailable until a time (ms from now), and then answers. */
const unavailableUntil = (ms: number) => {
  const begin = performance.now();
  return async (): Promise<string> => {
    if (performance.now() - begin >= ms) return 'answered';
    throw grpcError(14, 'shard is being acquired');
  };
};

test.each([2_500, 3_500])('a shard that changes its host within %i ms costs no call', async (ms) => {
  const answer = retry(unavailableUntil(ms), performance.now() + DEADLINE_MS);
  await vi.advanceTimersByTimeAsync(DEADLINE_MS);
  expect(await answer).toEqual(E.right('answered'));
});

test('a node that continues as new is asked until the deadline', async () => {
  let tries = 0;
  const answer = retry(() => {
    tries += 1;
    return Promise.reject(grpcError(8, 'workflow is closing'));
  }, performance.now() + DEADLINE_MS);
  await vi.advanceTimersByTimeAsync(DEADLINE_MS);
  expect(await answer).toMatchObject(E.left({ kind: 'transient', mayHaveReached: false }));
  expect(tries).toBeGreaterThan(10);
});

test('a server that stays unavailable is given up after five seconds', async () => {
  const answer = retry(unavailableUntil(Infinity), performance.now() + DEADLINE_MS);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(await answer).toMatchObject(E.left({ kind: 'unavailable' }));
});

test('what no try helps is not repeated', async () => {
  const attempt = vi.fn(() => Promise.reject(grpcError(3, 'bad')));
  expect(await retry(attempt, performance.now() + DEADLINE_MS)).toSatisfy(E.isLeft);
  expect(attempt).toHaveBeenCalledTimes(1);
});
