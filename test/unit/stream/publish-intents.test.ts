import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPublishIntents, type IntentStore } from '../../../stream/publish-intents';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A Redis that keeps intents and says of keys how long they last, and answers `zAdd` when `landing` does. */
const keeper = () => {
  const scores = new Map<string, number>();
  const lasting = new Map<string, number>();
  const asked: string[] = [];
  const begin = performance.now();
  const state = { isReady: true, clockIsAheadMs: 0, landing: (): Promise<void> => Promise.resolve() };
  const clock = (): number => 1_000_000 + performance.now() - begin + state.clockIsAheadMs;
  const redis: IntentStore = {
    get isReady() {
      return state.isReady;
    },
    zAdd: async (key, { score, value }, options) => {
      asked.push(`zAdd ${key}`);
      await state.landing();
      if (options?.condition === 'XX' && !scores.has(value)) return 0;
      scores.set(value, score);
      return 1;
    },
    zRem: async (key, members) => {
      asked.push(`zRem ${key}`);
      for (const member of members) scores.delete(member);
      return members.length;
    },
    zRangeWithScores: async (_key, min, max, { LIMIT: { offset, count } }) =>
      [...scores]
        .filter(([, score]) => score >= min && score <= max)
        .map(([value, score]) => ({ value, score }))
        .slice(offset, offset + count),
    set: async (key, _value, { EX }) => lasting.set(key, clock() + EX * 1_000),
    pTTL: async (key) => Math.max((lasting.get(key) ?? 0) - clock(), 0) || -2,
    time: async () => {
      const now = clock();
      return [String(Math.floor(now / 1_000)), String((now % 1_000) * 1_000)];
    },
  };
  return { redis, state, scores, lasting, asked };
};
const texts = (intents: ReadonlyArray<{ readonly text: string }>) => intents.map(({ text }) => text);

describe('an intent', () => {
  test('names its process, its node and itself, and stands under the time at which it was written', async () => {
    const { redis, scores, asked } = keeper();
    const intents = createPublishIntents({ client: redis }, 's');
    const [one, other] = [await intents.write('n'), await intents.write('n')];
    expect(one).toEqual({ text: expect.stringMatching(/^[\w-]{8}\|n\|[\w-]{8}$/u), nodeId: 'n' });
    expect(other.text).not.toBe(one.text);
    expect([...scores]).toEqual([one, other].map(({ text }) => [text, 1_000_000]));
    expect(asked).toEqual(['zAdd s:intents', 'zAdd s:intents']);
  });

  test('is not asked for while Redis is unavailable', async () => {
    const { redis, state, asked } = keeper();
    state.isReady = false;
    await expect(createPublishIntents({ client: redis }, 's').write('n')).rejects.toThrow('Redis is unavailable');
    expect(asked).toEqual([]);
  });

  test('counts as not written when Redis takes more than 700 ms, and as orphaned when it lands later', async () => {
    const { redis, state, scores } = keeper();
    let land = (): void => undefined;
    state.landing = () =>
      new Promise((resolve) => {
        land = resolve;
      });
    const intents = createPublishIntents({ client: redis }, 's');
    const written = intents.write('n');
    const refused = expect(written).rejects.toThrow('no answer within 700 ms');
    await vi.advanceTimersByTimeAsync(700);
    await refused;
    land();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(texts(await intents.orphaned(10_000))).toEqual([...scores.keys()]);
  });

  test('is gone once it is removed; to remove none asks nothing of Redis', async () => {
    const { redis, scores, asked } = keeper();
    const intents = createPublishIntents({ client: redis }, 's');
    await intents.remove([await intents.write('n'), await intents.write('m')]);
    await intents.remove([]);
    expect(scores.size).toBe(0);
    expect(asked).toEqual(['zAdd s:intents', 'zAdd s:intents', 'zRem s:intents']);
  });
});

describe('orphaned', () => {
  test('is no intent of ours in flight, however old', async () => {
    const { redis } = keeper();
    const intents = createPublishIntents({ client: redis }, 's');
    await intents.write('n');
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(await intents.orphaned(10_000)).toEqual([]);
  });

  test('is an intent of ours that we left', async () => {
    const { redis } = keeper();
    const intents = createPublishIntents({ client: redis }, 's');
    const intent = await intents.write('n');
    intents.orphan(intent);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await intents.orphaned(10_000)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await intents.orphaned(10_000)).toEqual([{ ...intent, ageMs: 10_000 }]);
  });

  test('is an intent of another process once that no longer says that it lives', async () => {
    const { redis, lasting } = keeper();
    const [ours, theirs] = [createPublishIntents({ client: redis }, 's'), createPublishIntents({ client: redis }, 's')];
    const intent = await theirs.write('n');
    await theirs.stayAlive();
    expect([...lasting]).toEqual([[`s:alive:${intent.text.split('|')[0] ?? ''}`, 1_006_000]]);
    await vi.advanceTimersByTimeAsync(5_999);
    expect(await ours.orphaned(1_000)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ours.orphaned(1_000)).toEqual([{ ...intent, ageMs: 6_000 }]);
    await theirs.stayAlive(); // it only hung
    expect(await ours.orphaned(1_000)).toEqual([]);
  });

  test.each([3_600_000, -3_600_000])(
    'is told by the clock of Redis, though that of a process jumps by %i ms',
    async (by) => {
      const { redis, scores } = keeper();
      const [ours, theirs] = [
        createPublishIntents({ client: redis }, 's'),
        createPublishIntents({ client: redis }, 's'),
      ];
      await ours.stayAlive();
      vi.setSystemTime(Date.now() + by);
      await theirs.write('n');
      await ours.write('m');
      expect([...scores.values()]).toEqual([1_000_000, 1_000_000]);
    },
  );

  test('is an intent that was written before Redis was set back, as soon as any other', async () => {
    const { redis, state, scores } = keeper();
    const [ours, theirs] = [createPublishIntents({ client: redis }, 's'), createPublishIntents({ client: redis }, 's')];
    const intent = await theirs.write('n');
    state.clockIsAheadMs = -600_000;
    await ours.stayAlive();
    expect(await ours.orphaned(10_000)).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ours.orphaned(10_000)).toEqual([{ ...intent, ageMs: 10_000 }]);
    expect([...scores.values()]).toEqual([400_000]);
  });

  test('is an intent of a process that died before Redis was set back, as soon as any other', async () => {
    const { redis, state } = keeper();
    const [ours, theirs] = [createPublishIntents({ client: redis }, 's'), createPublishIntents({ client: redis }, 's')];
    await theirs.stayAlive();
    state.clockIsAheadMs = -600_000;
    await Promise.all([ours.stayAlive(), theirs.write('n')]);
    await ours.orphaned(10_000); // those ahead of the clock age anew
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ours.orphaned(10_000)).toHaveLength(1);
    await theirs.stayAlive(); // it only hung
    expect(await ours.orphaned(10_000)).toEqual([]);
  });

  test('is no intent that was removed while a sweep found it ahead of the clock', async () => {
    const { redis, scores } = keeper();
    const intents = createPublishIntents({ client: redis }, 's');
    scores.set('dead|n|1', 2_000_000);
    const removing: IntentStore = {
      ...redis,
      zRangeWithScores: async (...asked) => {
        const found = await redis.zRangeWithScores(...asked);
        scores.clear();
        return found;
      },
    };
    await createPublishIntents({ client: removing }, 's').orphaned(10_000);
    expect([scores.size, await intents.orphaned(0)]).toEqual([0, []]);
  });

  test('are at most 10,000 intents at once, the oldest', async () => {
    const { redis, scores } = keeper();
    for (let index = 0; index < 10_001; index += 1) scores.set(`dead|n|${index}`, index);
    const found = await createPublishIntents({ client: redis }, 's').orphaned(0);
    expect([found.length, found.at(-1)?.text]).toEqual([10_000, 'dead|n|9999']);
  });
});
