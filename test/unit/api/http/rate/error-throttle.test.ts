import type { ParameterizedContext } from 'koa';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CallState } from '../../../../../api/http/pipeline/call-state';
import { throttleErrors } from '../../../../../api/http/pipeline/throttle-errors';
import { createErrorThrottle } from '../../../../../api/http/rate/error-throttle';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Call {
  readonly status?: number;
  readonly userId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How many of `count` calls, all made at once, have their answer after so many seconds each. */
const answered = async (perSecond: number, count: number, call: Call, seconds: ReadonlyArray<number>) => {
  const pace = throttleErrors(createErrorThrottle(perSecond));
  const { status = 400, userId, headers = {} } = call;
  const state = userId === undefined ? {} : { userId };
  let done = 0;
  const all = Array.from({ length: count }, async () => {
    const ctx = { status, headers, state, res: {} };
    await pace(ctx as unknown as ParameterizedContext<CallState>, () => Promise.resolve());
    done += 1;
  });
  const seen: number[] = [];
  let last = 0;
  for (const second of seconds) {
    await vi.advanceTimersByTimeAsync((second - last) * 1_000);
    last = second;
    seen.push(done);
  }
  await vi.advanceTimersByTimeAsync(6_000);
  await Promise.all(all);
  return seen;
};

test('a tenth of a second of refusals and one more are answered at once, others wait for what those before them cost, none longer than two seconds', async () => {
  expect(await answered(100, 225, { userId: 'ada' }, [0, 0.9, 1.6])).toEqual([11, 101, 171]);
  expect(await answered(100, 500, { userId: 'ada' }, [1.5, 2.1])).toEqual([161, 500]);
});

test.each([400, 401, 403, 404, 405, 413, 415, 431])('%i is a refusal', async (status) => {
  expect(await answered(100, 20, { status }, [0])).toEqual([11]);
});

test.each([200, 204, 408, 409, 412, 429, 500, 503, 504])('%i is none', async (status) => {
  expect(await answered(100, 20, { status }, [0])).toEqual([20]);
});

test.each([
  ['a body counts by its bytes', { 'content-length': String(16 * 1_024) }, 3],
  ['one in chunks as 64 KiB', { 'transfer-encoding': 'chunked' }, 1],
])('%s', async (_, headers, atOnce) => {
  expect(await answered(100, 20, { headers }, [0])).toEqual([atOnce]);
});

test('each user has a throttle, and callers without a good token share one', async () => {
  const pace = throttleErrors(createErrorThrottle(100));
  let done = 0;
  const call = async (state: CallState): Promise<void> => {
    await pace({ status: 400, headers: {}, state, res: {} } as unknown as ParameterizedContext<CallState>, () =>
      Promise.resolve(),
    );
    done += 1;
  };
  const users = ['ada', 'grace', undefined];
  const calls = users.flatMap((userId) =>
    Array.from({ length: 20 }, () => call(userId === undefined ? {} : { userId })),
  );
  await vi.advanceTimersByTimeAsync(0);
  expect(done).toBe(33);
  await vi.advanceTimersByTimeAsync(6_000);
  await Promise.all(calls);
});

describe('a lone error is answered at once, and the next one pays for it', () => {
  /** Seconds that each refusal of one user's waits, as `[seconds after the one before was answered, its Content-Length]`. */
  const waits = async (perSecond: number, calls: ReadonlyArray<readonly [number, number]>) => {
    const waited: number[] = [];
    const wait = async (seconds: number): Promise<void> => {
      waited.push(seconds);
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
    };
    const pace = throttleErrors(createErrorThrottle(perSecond, { wait }));
    const seen: number[] = [];
    for (const [after, bytes] of calls) {
      await vi.advanceTimersByTimeAsync(after * 1_000);
      const headers = { 'content-length': String(bytes) };
      const ctx = { status: 413, headers, state: { userId: 'ada' }, res: {} };
      await pace(ctx as unknown as ParameterizedContext<CallState>, () => Promise.resolve());
      seen.push(Number((waited.shift() ?? 0).toFixed(2)));
    }
    return seen;
  };
  const MIB = 1_048_576;

  test('a bad body of 1 MiB, then another', async () => {
    expect(await waits(200, [[0, MIB], [0, MIB]])).toEqual([0, 1.19]); // prettier-ignore
  });

  test('one body after the other waits as long as the one before cost', async () => {
    expect(
      await waits(
        200,
        Array.from({ length: 5 }, () => [0, MIB] as const),
      ),
    ).toEqual([0, 1.19, 1.28, 1.28, 1.28]);
  });

  test('bodies that come slower than the rate wait never', async () => {
    expect(
      await waits(
        200,
        Array.from({ length: 20 }, () => [1.4, MIB] as const),
      ),
    ).toEqual(Array(20).fill(0));
  });

  test('a body of a length that nobody can send counts no more than two of the longest waits', async () => {
    expect(await waits(200, [[0, 2 ** 50], [1, 0], [2, 0]])).toEqual([0, 2, 0]); // prettier-ignore
  });

  test('after a flood four seconds of rest are enough', async () => {
    const flood = Array.from({ length: 500 }, () => [0, 64 * MIB] as const);
    expect((await waits(200, [...flood, [4.01, 0]])).slice(-2)).toEqual([2, 0]);
  });
});

test('0 lets nothing wait', async () => {
  expect(await answered(0, 1_000, {}, [0])).toEqual([1_000]);
});
