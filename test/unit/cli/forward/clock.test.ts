import { expect, test } from 'vitest';
import { createClock, type TimedGroup } from '../../../../cli/forward/alertmanager/clock';
import { timingOf } from '../../../../cli/forward/alertmanager/timing';

const timing = timingOf({ silentAfter: [{ ms: 3_000 }] }, new Map(), undefined);

/**
 * A clock at `now` whose group has handled all entries of a stream that has one every 900 ms up to `last`, and that has looked
 * up to `seen` before; and the members whose silence is marked.
 */
const clockAt = (now: number, seen: number, last: number) => {
  const marked: string[] = [];
  let flow = { seen: String(seen), gaps: '[]' };
  const client = {
    eval: async (
      _: string,
      { keys, arguments: [member = ''] }: { keys: ReadonlyArray<string>; arguments: string[] },
    ) => {
      if (keys[1] === 'k:flow') return [String(now), String(now), '0', String(now)];
      return void marked.push(member);
    },
    hmGet: async () => [flow.seen, flow.gaps],
    hSet: async (_: string, kept: typeof flow) => void (flow = kept),
    hGet: async () => null,
    hLen: async () => 1,
    zRangeByScore: async () => [],
    xRevRange: async (_: string, to: string, from: string) => {
      const at = Math.floor(Math.min(Number(to), last) / 900) * 900;
      return at < Number(from) ? [] : [{ id: `${at}-0` }];
    },
    xRange: async () => [],
  };
  const link = { client } as unknown as TimedGroup['redis'];
  return {
    clock: createClock(
      { redis: link, stream: 's', group: 'g', keyPrefix: 'k', timing, catchUp: false },
      async () => true,
    ),
    marked,
  };
};

test('a stream whose entries take more than one look is not silent', async () => {
  const { clock, marked } = clockAt(9_000_000, 0, 9_000_000);
  for (let looks = 0; looks < 25; looks += 1) await clock.markDue();
  expect(marked).toEqual([]);
});

test('a stream without a further entry is silent at the first look', async () => {
  const { clock, marked } = clockAt(9_000_000, 8_100_000, 8_100_000);
  await clock.markDue();
  expect(marked).toEqual(['']);
});
