import type { ParameterizedContext } from 'koa';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallState } from '../../../api/pipeline/call-state';
import { paceRefusals } from '../../../api/pipeline/pace-refusals';
import { createRefusalPace } from '../../../api/rate/refusal-pace';

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
  const pace = paceRefusals(createRefusalPace(perSecond));
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

test('a tenth of a second of refusals is answered at once, others wait for their turn, none longer than two seconds', async () => {
  expect(await answered(100, 225, { userId: 'ada' }, [0, 0.9, 1.6])).toEqual([10, 100, 170]);
  expect(await answered(100, 500, { userId: 'ada' }, [1.5, 2.1])).toEqual([160, 500]);
});

test.each([400, 401, 403, 404, 405, 413, 415, 431])('%i is a refusal', async (status) => {
  expect(await answered(100, 20, { status }, [0])).toEqual([10]);
});

test.each([200, 204, 408, 409, 412, 429, 500, 503, 504])('%i is none', async (status) => {
  expect(await answered(100, 20, { status }, [0])).toEqual([20]);
});

test.each([
  ['a body counts by its bytes', { 'content-length': String(16 * 1_024) }, 2],
  ['one in chunks as 64 KiB', { 'transfer-encoding': 'chunked' }, 0],
])('%s', async (_, headers, atOnce) => {
  expect(await answered(100, 20, { headers }, [0])).toEqual([atOnce]);
});

test('each user has his own pace, and who has no good token shares one', async () => {
  const pace = paceRefusals(createRefusalPace(100));
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
  expect(done).toBe(30);
  await vi.advanceTimersByTimeAsync(6_000);
  await Promise.all(calls);
});

test('0 lets nothing wait', async () => {
  expect(await answered(0, 1_000, {}, [0])).toEqual([1_000]);
});
