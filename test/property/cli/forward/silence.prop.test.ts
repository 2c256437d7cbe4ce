import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  flowedAt,
  flowUntil,
  withoutOldGaps,
  type EntryTimes,
  type Flow,
} from '../../../../cli/forward/alertmanager/silence';

/** Entries of a stream, by the time (ms) between them. */
const streams = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 40 })
  .map((pauses) => pauses.reduce<number[]>((times, pause) => [...times, (times.at(-1) ?? 0) + pause], []));
const gapMs = fc.integer({ min: 2, max: 12 });

const entriesOf = (times: ReadonlyArray<number>): EntryTimes => ({
  last: async (from, to) => times.findLast((time) => time >= from && time <= to),
  first: async (from, to) => times.find((time) => time >= from && time <= to),
});

/** In how many of the milliseconds from `from` to `to` the stream flowed: each lies between two entries that are near enough. */
const flowedIn = (times: ReadonlyArray<number>, gap: number, from: number, to: number): number => {
  let flowed = 0;
  for (let ms = from; ms < to; ms += 1) {
    const before = times.findLast((time) => time <= ms);
    const behind = times.find((time) => time > ms);
    if (before !== undefined && behind !== undefined && behind - before <= gap) flowed += 1;
  }
  return flowed;
};

/** The flow after looks at some times; each finds what was handled by then. */
const seenBy = async (times: ReadonlyArray<number>, gap: number, looks: ReadonlyArray<number>): Promise<Flow> => {
  let flow: Flow = { seen: times[0] ?? 0, gaps: [] };
  for (const look of [...looks].sort((one, other) => one - other))
    flow = await flowUntil(flow, look, gap, entriesOf(times));
  return flow;
};

describe('the flow of the stream', () => {
  test('is that between entries which are near, however often and when it is looked at', async () => {
    await fc.assert(
      fc.asyncProperty(streams, gapMs, fc.array(fc.nat(400)), async (times, gap, looks) => {
        const end = times.at(-1) ?? 0;
        const { seen, gaps } = await seenBy(times, gap, [...looks, end]);
        expect(seen).toBe(end);
        gaps.forEach(([from, to], at) => {
          expect(from).toBeLessThan(to);
          expect(from).toBeGreaterThan(gaps[at - 1]?.[1] ?? 0);
        });
        for (const at of times)
          for (const ms of [1, 5, 20, 50]) {
            const silentAt = flowedAt(gaps, at, ms);
            expect(silentAt <= seen).toBe(flowedIn(times, gap, at, seen) >= ms);
            if (silentAt > seen) continue;
            expect(flowedIn(times, gap, at, silentAt)).toBe(ms);
            expect(flowedIn(times, gap, at, silentAt - 1)).toBe(ms - 1);
          }
      }),
    );
  });

  test('without its old gaps says of the same nodes that they are silent', async () => {
    await fc.assert(
      fc.asyncProperty(streams, gapMs, fc.integer({ min: 1, max: 80 }), async (times, gap, longest) => {
        const flow = await seenBy(times, gap, [400, 2_500]);
        const { gaps } = withoutOldGaps(flow, longest);
        for (const at of times)
          expect(flowedAt(gaps, at, longest) <= flow.seen).toBe(flowedAt(flow.gaps, at, longest) <= flow.seen);
      }),
    );
  });

  test('makes no node silent that is measured three times in its time, by whichever single outage', async () => {
    const plan = fc.record({
      silentAfter: fc.integer({ min: 10, max: 40 }),
      phases: fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }),
      outage: fc.tuple(fc.nat(200), fc.nat(200)),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ silentAfter, phases, outage: [from, lasts] }) => {
        const every = Math.floor(silentAfter / 3);
        const nodes = phases.map((phase) => {
          const times = Array.from({ length: 100 }, (_, n) => 1 + (phase % every) + n * every);
          return times.filter((time) => time < from || time >= from + lasts);
        });
        const all = [...new Set(nodes.flat())].sort((one, other) => one - other);
        const { gaps } = await seenBy(all, silentAfter / 3, [10_000]);
        for (const times of nodes)
          times.slice(1).forEach((next, n) => {
            expect(flowedAt(gaps, times[n] ?? 0, silentAfter)).toBeGreaterThanOrEqual(next);
          });
      }),
    );
  });

  test('keeps at most a hundred gaps; of more a node is silent later, never too early', async () => {
    const times = Array.from({ length: 400 }, (_, at) => 20 * at + (at % 2));
    const { seen, gaps } = await seenBy(times, 5, [100_000]);
    expect(gaps.length).toBeLessThanOrEqual(100);
    for (const at of times) expect(flowedAt(gaps, at, 5)).toBeGreaterThanOrEqual(Math.min(seen, at + 5));
  });
});
