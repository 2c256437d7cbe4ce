import { expect, test, vi } from 'vitest';
import { interceptors } from '../../../workflows/sandbox';

const TIMER = { fireTimer: {} };
const QUERY = { queryWorkflow: {} };
const UPDATE = { doUpdate: {} };

/** Activations of one node: `[events, nanoseconds, job, whether it is a replay]`. */
const activated = (...activations: ReadonlyArray<readonly [number, number, object, boolean?]>) => {
  const [interceptor] = interceptors().internals ?? [];
  const next = vi.fn();
  for (const [historyLength, nanos, job, isReplaying = false] of activations) {
    const timestamp = { seconds: 1, nanos };
    interceptor?.activate?.(
      { activation: { historyLength, timestamp, jobs: [job], isReplaying } as never, batchIndex: 0 },
      next,
    );
  }
  return next;
};

test('events of a later task are taken', () => {
  expect(activated([3, 1, TIMER], [8, 2, TIMER])).toHaveBeenCalledTimes(2);
});

test('events that have the time of the task before them are refused', () => {
  expect(() => activated([3, 1, TIMER], [5, 1, TIMER])).toThrow('send it again');
});

test('what comes in the same task, without further events, is taken', () => {
  expect(activated([3, 1, TIMER], [3, 1, TIMER])).toHaveBeenCalledTimes(2);
});

test('a replay goes by its history, where the clock of the server stood still or went back', () => {
  expect(activated([3, 1, TIMER, true], [8, 1, TIMER, true])).toHaveBeenCalledTimes(2);
});

test('an update is taken where the clock of the server stood still or went back', () => {
  expect(activated([3, 1, TIMER], [8, 1, UPDATE], [13, 1, UPDATE])).toHaveBeenCalledTimes(3);
});

test('a query is answered, and is no task', () => {
  expect(activated([3, 1, TIMER], [5, 1, QUERY], [8, 2, TIMER])).toHaveBeenCalledTimes(3);
});
