import { Registry } from 'prom-client';
import { expect, inject, test, vi } from 'vitest';
import type { Effect } from '../../../../stream/consumer';
import { consumersOf, soon } from '../../../support/redis/consumers';
import { sharedRedis } from '../../../support/redis/shared-redis';
import { anId } from '../../../support/scenario';

const redis = sharedRedis();
const { published, consuming, consumed, handled } = consumersOf(redis, inject('redisUrl'));

test.each<[string, unknown]>([
  ['count is no text', { texts: { count: 5 } }],
  ['count is no text', { texts: { count: undefined } }],
  ['the trail is no text', { trail: { text: 'x' } }],
  ['last cannot be the name of a hash', { texts: { last: 'x' } }],
  ['unreported cannot be the name of a hash', { texts: { unreported: 'x' } }],
  ['count is no number', { scores: { count: '5' } }],
  ['count is no number', { scores: { count: Number.NaN } }],
  ['waiting cannot be the name of a sorted set', { scores: { waiting: 1 } }],
  ['count cannot be the name of a sorted set', { texts: { count: 'x' }, scores: { count: 1 } }],
])('an effect that Redis cannot keep is the failure of its handler, and set aside: %s, %j', async (reason, effect) => {
  const { own } = await published(1, 1);
  const registry = new Registry();
  const { stop } = consuming(own, { registry, handle: () => effect as Effect });
  const aside = `${own.stream}:${own.group}:aside`;
  await vi.waitFor(async () => expect(await redis.xLen(aside)).toBe(1), soon);
  await stop();
  expect(await redis.xRange(aside, '-', '+')).toMatchObject([{ message: { reason } }]);
  expect(await registry.metrics()).toContain('point_alarm_consumer_events_total{outcome="failed"} 3');
});

test('a score is kept with the effect, and goes when it is removed; a handler knows when its event came', async () => {
  const { own } = await published(3, 2);
  const times: number[] = [];
  await consumed(own, {
    handle: async (_event, kept, _signal, appendedAt) => {
      times.push(appendedAt);
      const isFirst = (await kept('seen')) === undefined;
      return { texts: { seen: 'x' }, scores: { due: appendedAt + 0.5, gone: isFirst ? 1 : null } };
    },
  });
  const due = await redis.zRangeWithScores(`${own.stream}:${own.group}:due`, 0, -1);
  const entries = (await redis.xRange(own.stream, '-', '+')) ?? [];
  const last = new Map(entries.map(({ id, message }) => [message['aggregateId'], Number.parseInt(id, 10)]));
  expect(new Map(due.map(({ value, score }) => [value, score - 0.5]))).toEqual(last);
  expect(times.sort()).toEqual(entries.map(({ id }) => Number.parseInt(id, 10)).sort());
  expect(await redis.zCard(`${own.stream}:${own.group}:gone`)).toBe(0);
});

test('of a reason that holds a whole answer, the beginning is kept', async () => {
  const { own } = await published(1, 1);
  const page = () => {
    throw new Error('x'.repeat(3_000_000));
  };
  await consumed(own, { handle: page });
  const [aside] = (await redis.xRange(`${own.stream}:${own.group}:aside`, '-', '+')) ?? [];
  expect(aside?.message['reason']).toHaveLength(1_000);
});

test('null is no effect', async () => {
  const { own } = await published(1, 1);
  await consumed(own, { handle: () => null as unknown as undefined });
});

test('an effect of which Redis refuses a text is kept whole once Redis takes it, and is no repeat', async () => {
  const { own } = await published(1, 2);
  const [taken, refused] = ['aaa', 'zzz'].map((name) => `${own.stream}:${own.group}:${name}`);
  await redis.rPush(refused!, 'the key of somebody else');
  const [reported, registry]: [string[], Registry] = [[], new Registry()];
  const { stop } = consuming(own, {
    registry,
    report: (line) => void reported.push(line),
    handle: (event) => ({ trail: JSON.stringify(event), texts: { aaa: event.sequenceId, zzz: event.sequenceId } }),
  });
  await vi.waitFor(() => expect(reported.join()).toContain('WRONGTYPE'), soon);
  await redis.del(refused!);
  await vi.waitFor(async () => expect((await handled(own)).get(anId(0))).toHaveLength(2), soon);
  const newest = (await handled(own)).get(anId(0))?.at(-1);
  expect([await redis.hGet(taken!, anId(0)), await redis.hGet(refused!, anId(0))]).toEqual([newest, newest]);
  await vi.waitFor(
    async () => expect(await registry.metrics()).toContain('point_alarm_consumer_events_total{outcome="handled"} 2'),
    soon,
  );
  await stop();
  expect(await registry.metrics()).toContain('point_alarm_consumer_events_total{outcome="repeated"} 0');
});
