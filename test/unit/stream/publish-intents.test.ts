import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPublishIntents, type IntentStore } from '../../../stream/publish-intents';
import { emptyRedis } from '../../simulation/models/redis-state';
import { modelledClient } from '../../support/redis/modelled-client';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

/** A Redis of which a test says how far its clock is ahead, and when it answers `zAdd`; and two processes on it. */
const keeper = () => {
  const redis = emptyRedis();
  const begin = performance.now();
  const state = { clockIsAheadMs: 0, landing: (): Promise<void> => Promise.resolve() };
  const client = modelledClient(redis, () => 1_000_000 + performance.now() - begin + state.clockIsAheadMs);
  const store: IntentStore = {
    ...client,
    zAdd: async (...given) => {
      await state.landing();
      return client.zAdd(...given);
    },
  };
  const scores = () => redis.sorted.get('s:intents') ?? new Map<string, number>();
  const [ours, theirs] = [createPublishIntents({ client: store }, 's'), createPublishIntents({ client: store }, 's')];
  return { store, state, scores, ours, theirs };
};
const texts = (intents: ReadonlyArray<{ readonly text: string }>) => intents.map(({ text }) => text);

test('an intent counts as not written when Redis takes more than 700 ms, and as orphaned when it lands later', async () => {
  const { ours, state, scores } = keeper();
  let land = (): void => undefined;
  state.landing = () =>
    new Promise((resolve) => {
      land = resolve;
    });
  const written = ours.write('n');
  const refused = expect(written).rejects.toThrow('no answer within 700 ms');
  await vi.advanceTimersByTimeAsync(700);
  await refused;
  land();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(texts(await ours.orphaned(10_000))).toEqual([...scores().keys()]);
});

describe('orphaned', () => {
  test('is an intent of another process once that no longer says that it lives', async () => {
    const { ours, theirs } = keeper();
    const intent = await theirs.write('n');
    await theirs.refreshLiveness();
    await vi.advanceTimersByTimeAsync(5_999);
    expect(await ours.orphaned(1_000)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ours.orphaned(1_000)).toEqual([{ ...intent, ageMs: 6_000 }]);
    await theirs.refreshLiveness(); // it only hung
    expect(await ours.orphaned(1_000)).toEqual([]);
  });

  test.each([3_600_000, -3_600_000])(
    'is told by the clock of Redis, though that of a process jumps by %i ms',
    async (by) => {
      const { ours, theirs, scores } = keeper();
      await ours.refreshLiveness();
      vi.setSystemTime(Date.now() + by);
      await theirs.write('n');
      await ours.write('m');
      expect([...scores().values()]).toEqual([1_000_000, 1_000_000]);
    },
  );

  test('is no intent that was removed while a sweep found it ahead of the clock', async () => {
    const { store, ours, theirs, scores } = keeper();
    await theirs.write('n');
    const removing: IntentStore = {
      ...store,
      zRangeWithScores: async (...asked) => {
        const found = await store.zRangeWithScores(...asked);
        scores().clear();
        return found;
      },
    };
    vi.setSystemTime(0);
    await createPublishIntents({ client: removing }, 's').orphaned(10_000);
    expect([scores().size, await ours.orphaned(0)]).toEqual([0, []]);
  });

  test('are at most 10,000 intents at once, the oldest', async () => {
    const { store, ours } = keeper();
    for (let index = 0; index < 10_001; index += 1)
      await store.zAdd('s:intents', { score: index, value: `dead|n|${index}` });
    const found = await ours.orphaned(0);
    expect([found.length, found.at(-1)?.text]).toEqual([10_000, 'dead|n|9999']);
  });
});
