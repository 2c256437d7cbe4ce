import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deliver, type Delivery } from '../../../../cli/forward/alertmanager/deliver';
import { immediateTiming } from '../../../../cli/forward/alertmanager/timing';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Delivers while `calls` answers each command of Redis, until it is ended; `reported` grows. */
const start = (calls: () => Promise<unknown>, state: { isReady: boolean }) => {
  const reported: string[] = [];
  const ending = new AbortController();
  const client = {
    eval: calls,
    hLen: calls,
    hScan: calls,
    get isReady() {
      return state.isReady;
    },
  };
  const ended = deliver({
    ...{
      redis: { client } as unknown as Delivery['redis'],
      stream: 's',
      group: 'g',
      keyPrefix: 'k',
      timing: immediateTiming,
    },
    ...{ resendMs: 60_000, signal: ending.signal },
    ...{
      about: () => ({ labels: {}, link: '' }),
      send: () => Promise.resolve(),
      count: () => undefined,
      catchUp: false,
    },
    report: (line) => void reported.push(line),
  });
  return { reported, end: () => (ending.abort(), ended) };
};

const REFUSED = 'alerts wait: Alertmanager at a:9093: a redirect to https://b';
const refuses = (): Promise<unknown> => Promise.reject(new Error(REFUSED.replace('alerts wait: ', '')));

test('why alerts wait is reported at once, and each minute as long as it lasts', async () => {
  const { reported, end } = start(refuses, { isReady: true });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(reported).toEqual([REFUSED]);
  await vi.advanceTimersByTimeAsync(110_000);
  expect(reported).toEqual([REFUSED, REFUSED, REFUSED]);
  await end();
});

test('it is reported once Redis answers, where Redis was away before', async () => {
  const state = { isReady: false };
  const { reported, end } = start(refuses, state);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(reported).toEqual([]);
  state.isReady = true;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(reported).toEqual([REFUSED]);
  await end();
});
