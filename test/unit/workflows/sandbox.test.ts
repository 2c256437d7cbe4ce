import { expect, test, vi } from 'vitest';
import { interceptors } from '../../../workflows/sandbox';

const TIMER = { fireTimer: {} };
const QUERY = { queryWorkflow: {} };
const UPDATE = { doUpdate: {} };
const SIGNAL = { signalWorkflow: {} };
const PUBLISHED = { resolveActivity: {} };

interface Activated {
  readonly isReplaying?: boolean;
  /** The size of the history as its task began. */
  readonly bytes?: number;
}

/** Activations of one node: `[events, nanoseconds, job, what else]`. */
const activated = (...activations: ReadonlyArray<readonly [number, number, object, Activated?]>) => {
  const [interceptor] = interceptors().internals ?? [];
  const next = vi.fn();
  for (const [
    historyLength,
    nanos,
    job,
    { isReplaying = false, bytes: historySizeBytes = 1_000 } = {},
  ] of activations) {
    const timestamp = { seconds: 1, nanos };
    const activation = { historyLength, historySizeBytes, timestamp, jobs: [job], isReplaying };
    interceptor?.activate?.({ activation: activation as never, batchIndex: 0 }, next);
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

test('a task is taken where the clock of the server stood still or went back, whatever it brings', () => {
  const tasks = [TIMER, SIGNAL, PUBLISHED].map((job, at) => [8 + 5 * at, 1, job, { bytes: 2_000 + at }] as const);
  expect(activated([3, 1, TIMER], ...tasks)).toHaveBeenCalledTimes(4);
});

test('events without a task are refused also then', () => {
  expect(() => activated([3, 1, TIMER], [8, 1, SIGNAL, { bytes: 2_000 }], [10, 1, SIGNAL, { bytes: 2_000 }])).toThrow(
    'send it again',
  );
});

test('a replay goes by its history, where the clock of the server stood still or went back', () => {
  expect(activated([3, 1, TIMER, { isReplaying: true }], [8, 1, TIMER, { isReplaying: true }])).toHaveBeenCalledTimes(
    2,
  );
});

test('an update is taken where the time stands still, and the size of the history too', () => {
  expect(activated([3, 1, TIMER], [8, 1, UPDATE], [13, 1, UPDATE])).toHaveBeenCalledTimes(3);
});

test('a query is answered, and is no task', () => {
  expect(activated([3, 1, TIMER], [5, 1, QUERY], [8, 2, TIMER])).toHaveBeenCalledTimes(3);
});
