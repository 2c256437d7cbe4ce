import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { afterEvent, alarmsOf, type NodeAlarms } from '../../../cli/forward/alertmanager/alarms';
import { createClock } from '../../../cli/forward/alertmanager/clock';
import { acquireLease, notifiedUntil } from '../../../cli/forward/alertmanager/due-time';
import { timingOf } from '../../../cli/forward/alertmanager/timing';
import { createLog } from '../../../process/log';
import { NotNow } from '../../../stream/consumer';
import { connectRedis } from '../../../stream/connection';
import { keyPrefixOf } from '../../../stream/consumer/group';
import { anId } from '../../support/scenario';
import { sharedRedis } from '../../support/redis/shared-redis';

const redis = sharedRedis();

/** A clock of a process that leads and has looked once, of a group with one node whose alarm is due. */
const clockWithAlarm = async (catchUp: boolean) => {
  const name = 'clock';
  const link = connectRedis({ url: inject('redisUrl'), log: createLog({ level: 'silent', process: name }), name });
  onTestFinished(() => link.close());
  await vi.waitFor(() => expect(link.client.isReady).toBe(true));
  const [stream, group, timing] = [`clock-${randomUUID()}`, 'alerts', timingOf({ for: [{ ms: 50 }] }, new Map(), '')];
  const keyPrefix = keyPrefixOf(stream, group);
  await redis.xGroupCreate(stream, group, '0', { MKSTREAM: true });
  const own = createClock({ redis: link, stream, group, keyPrefix, timing, catchUp }, async () => true);
  const look = async (): Promise<number> => {
    expect(await acquireLease({ redis: link, keyPrefix }, 'own', 10_000)).toBe(true);
    return own.markDue();
  };
  await look();
  const [now, { delays }] = [Date.now(), timing.of(anId(1))];
  const event = { parts: [{ part: 'external', status: 4 as const }], limits: {}, at: now, notifiedUntil: now, now };
  const alarms: NodeAlarms = afterEvent(alarmsOf(), event, delays);
  await redis.hSet(`${keyPrefix}:alarms`, anId(1), JSON.stringify(alarms));
  await redis.zAdd(`${keyPrefix}:due`, { value: anId(1), score: now + 50 });
  await sleep(600);
  const marked = (): Promise<number> => redis.hLen(`${keyPrefix}:changed`);
  /** Makes Redis one that nobody has reached for so long (ms). */
  const unreachedFor = (ms: number): Promise<number> =>
    redis.hSet(`${keyPrefix}:flow`, 'reached', String(Date.now() - ms));
  const waits = async (until?: number): Promise<number> => {
    if (until !== undefined) await redis.hSet(`${keyPrefix}:flow`, 'waits', String(until));
    return Number(await redis.hGet(`${keyPrefix}:flow`, 'waits')) - Date.now();
  };
  /** An event that no process has handled, until `handled`. */
  const publish = () => redis.xAdd(stream, '*', { event: 'x' });
  const handled = async (): Promise<void> => {
    await redis.xReadGroup(group, 'one', { key: stream, id: '>' });
    const pending = await redis.xPendingRange(stream, group, '-', '+', 10);
    await redis.xAck(
      stream,
      group,
      pending.map(({ id }) => id),
    );
  };
  return { markDue: look, redis: link, keyPrefix, marked, unreachedFor, waits, publish, handled };
};

test('an alarm is due at the next look, also after a pause as long as that of a kill', async () => {
  const { markDue: look, marked, unreachedFor } = await clockWithAlarm(false);
  await unreachedFor(15_000);
  await look();
  expect(await marked()).toBe(1);
});

test('after an outage of Redis nothing is due until the nodes could publish their events', async () => {
  const { markDue: look, marked, unreachedFor, waits } = await clockWithAlarm(false);
  await unreachedFor(25_000);
  const [first, second] = [await look(), await look()];
  expect(second).toBe(first);
  expect(await marked()).toBe(0);
  expect(await waits()).toBeGreaterThan(10_000);
  expect(await waits()).toBeLessThanOrEqual(15_000);
  await waits(Date.now());
  expect(await look()).toBeGreaterThan(first);
  expect(await marked()).toBe(1);
});

test('a process that does not lead reaches Redis, too: then there was no outage', async () => {
  const { markDue: look, redis: link, keyPrefix, marked, unreachedFor, waits } = await clockWithAlarm(false);
  await unreachedFor(19_000);
  expect(await acquireLease({ redis: link, keyPrefix }, 'another', 10_000)).toBe(false);
  await look();
  expect(await marked()).toBe(1);
  expect(await waits()).toBeLessThan(0);
});

test('a wait ends also where the clock of Redis was set back', async () => {
  const { markDue: look, marked, unreachedFor, waits } = await clockWithAlarm(false);
  await unreachedFor(25_000);
  await look();
  await waits(Date.now() + 3_600_000);
  await look();
  expect(await marked()).toBe(1);
});

test('one that ends once all is handled waits for nothing', async () => {
  const { markDue: look, marked, unreachedFor } = await clockWithAlarm(true);
  await unreachedFor(25_000);
  await look();
  expect(await marked()).toBe(1);
});

test('alarms may have been told up to an event, but after an outage only up to where the clock stays', async () => {
  const { markDue: look, redis: link, keyPrefix, unreachedFor, waits } = await clockWithAlarm(false);
  const until = (at: number): Promise<number> => notifiedUntil({ redis: link, keyPrefix }, at);
  const stays = await look();
  const before = Date.now() - 100;
  expect(await until(before)).toBe(before);
  expect(await until(stays - 5_000)).toBe(stays); // the clock of Redis was set back
  await unreachedFor(25_000);
  expect(await until(before)).toBe(stays); // before any process has led again
  expect(await look()).toBe(stays);
  const ends = Date.now() - 50;
  await waits(ends);
  expect(await until(before)).toBe(stays);
  expect(await until(ends)).toBe(ends);
  await waits(Date.now() + 3_600_000); // the clock of Redis was set back
  expect(await until(before)).toBe(before);
});

test('a wait lasts until all that came before its end is handled', async () => {
  const { markDue: look, marked, unreachedFor, waits, publish, handled } = await clockWithAlarm(false);
  await unreachedFor(25_000);
  const stays = await look();
  await publish();
  await sleep(5);
  await waits(Date.now());
  expect(await look()).toBe(stays);
  expect(await marked()).toBe(0);
  await handled();
  expect(await look()).toBeGreaterThan(stays);
  expect(await marked()).toBe(1);
});

test('a process that catches up ends the wait for all, but only once what came before is handled', async () => {
  const { markDue: look, redis: link, keyPrefix, unreachedFor, publish, handled } = await clockWithAlarm(true);
  await unreachedFor(25_000);
  await publish();
  const appendedAt = Date.now();
  await sleep(5);
  const stays = await look();
  expect(await look()).toBe(stays);
  expect(await notifiedUntil({ redis: link, keyPrefix }, appendedAt)).toBe(stays);
  await handled();
  expect(await look()).toBeGreaterThan(stays);
});

test('an event whose question Redis does not answer is tried again for ever', async () => {
  const { redis: link, keyPrefix } = await clockWithAlarm(false);
  link.client.destroy();
  await expect(notifiedUntil({ redis: link, keyPrefix }, 0)).rejects.toBeInstanceOf(NotNow);
});
