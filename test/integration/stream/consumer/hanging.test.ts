import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, inject, test, vi } from 'vitest';
import { NotNow } from '../../../../stream/consumer';
import { consumersOf, idsOf, names, soon } from '../../../support/redis/consumers';
import { sharedRedis } from '../../../support/redis/shared-redis';
import { eventOf } from '../../../support/redis/stream-load';
import { anId } from '../../../support/scenario';

const redis = sharedRedis();
const { publish, published, handled, pending, consuming, consumed } = consumersOf(redis, inject('redisUrl'));

const never = (): Promise<never> => new Promise(() => undefined);
/** The time (ms) in which `signal` ends a consumer, as its documents have it. */
const STOPS_WITHIN_MS = 5_000;
const stopTime = async (stop: () => Promise<void>): Promise<number> => {
  const began = performance.now();
  await stop();
  return performance.now() - began;
};

test('while a handler of one node hangs, all events of other nodes are handled', async () => {
  const { own, nodes } = await published(40, 6);
  const { stop } = consuming(own, {
    claimAfterMs: 600_000,
    handle: (event) => (event.aggregateId === anId(0) ? never() : { trail: JSON.stringify(event) }),
  });
  const others = new Map([...idsOf(nodes)].slice(1));
  await vi.waitFor(async () => expect(await handled(own)).toEqual(others), soon);
  expect(await stopTime(stop)).toBeLessThan(STOPS_WITHIN_MS);
  expect(await pending(own.stream, own.group)).toBe(6);
});

test('while one node waits for what it needs, thousands of its events do not hold up another node', async () => {
  const own = names();
  const events = Array.from({ length: 1_500 }, (_, at) => eventOf(anId(0), at));
  await publish(own.stream, new Map([[anId(0), events]]), 500);
  const { stop } = consuming(own, {
    claimAfterMs: 1_000,
    handle: (event) => {
      if (event.aggregateId === anId(0)) throw new NotNow('its row is locked');
      return { trail: JSON.stringify(event) };
    },
  });
  await vi.waitFor(async () => expect(await pending(own.stream, own.group)).toBe(1_500), soon);
  const other = new Map([[anId(1), [eventOf(anId(1), 1)]]]);
  await publish(own.stream, other);
  await vi.waitFor(async () => expect(await redis.lLen(`${own.stream}:${own.group}:trail`)).toBe(1), soon);
  await stop();
  expect(await redis.xLen(`${own.stream}:${own.group}:aside`)).toBe(0);
});

test('a handler that never settles is given up after claimAfterMs: after three times its event is set aside by name', async () => {
  const { own, nodes } = await published(1, 2);
  const registry = new Registry();
  const [first, second] = nodes.get(anId(0))!.map(({ sequenceId }) => sequenceId);
  const signals: AbortSignal[] = [];
  await consumed(own, {
    registry,
    claimAfterMs: 200,
    handle: (event, _kept, signal) => {
      if (event.sequenceId !== first) return { trail: JSON.stringify(event) };
      signals.push(signal);
      return never();
    },
  });
  expect((await handled(own)).get(anId(0))).toEqual([second]);
  const [aside] = (await redis.xRange(`${own.stream}:${own.group}:aside`, '-', '+')) ?? [];
  expect(aside?.message).toMatchObject({ sequenceId: first, reason: 'no answer within 200 ms' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  expect(await registry.metrics()).toContain('point_alarm_consumer_events_total{outcome="aside"} 1');
});

test('`signal` ends a consumer in time, however much it has in hand; what is left is done by the next one at once', async () => {
  const { own, nodes } = await published(1, 16);
  let begun = 0;
  const { stop } = consuming(own, {
    claimAfterMs: 600_000,
    handle: async (event) => {
      begun += 1;
      await sleep(1_000);
      return { trail: JSON.stringify(event) };
    },
  });
  await vi.waitFor(() => expect(begun).toBe(1), soon);
  expect(await stopTime(stop)).toBeLessThan(STOPS_WITHIN_MS);
  expect(begun).toBeLessThan(4);
  await consumed(own, { claimAfterMs: 600_000 });
  expect(await handled(own)).toEqual(idsOf(nodes));
});

test('a consumer that waits for events ends at once, and reports nothing', async () => {
  const { own, nodes } = await published(1, 1);
  const reported: string[] = [];
  const { stop } = consuming(own, { claimAfterMs: 600_000, report: (line) => void reported.push(line) });
  await vi.waitFor(async () => expect(await handled(own)).toEqual(idsOf(nodes)), soon);
  await sleep(100); // its reading blocks
  expect(await stopTime(stop)).toBeLessThan(300);
  expect(reported).toEqual([]);
});

test('what is no event of ours is skipped, counted apart, and not set aside', async () => {
  const { own } = await published(1, 1);
  const registry = new Registry();
  const reported: string[] = [];
  await redis.xAdd(own.stream, '*', { type: 'PointAlarmAnnotationEvent', aggregateId: anId(0), data: '{}' });
  await redis.xAdd(own.stream, '*', { anything: 'else' });
  await consumed(own, { registry, report: (line) => void reported.push(line) });
  expect(await registry.metrics()).toContain('point_alarm_consumer_events_total{outcome="skipped"} 2');
  expect(await registry.metrics()).toContain('point_alarm_consumer_events_total{outcome="aside"} 0');
  expect(await redis.exists(`${own.stream}:${own.group}:aside`)).toBe(0);
  expect(reported).toEqual([]);
});
