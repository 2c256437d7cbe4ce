import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPublisher } from '../../../stream/append';
import { consumeEvents } from '../../../stream/consumer';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { eventSettings } from '../../support/redis/event-settings';
import { redisGround, type RedisGround } from '../../support/redis/servers';

/** An event whose id begins with `start`; all else is alike. */
const event = (nodeId: string, start: string): OutboxEvent => {
  const sequenceId = start.padEnd(26, '0');
  const userId = randomUUID();
  return {
    type: 'PointAlarmStatusEvent',
    sequenceId,
    timestamp: Date.UTC(2026, 0, 31),
    userId,
    data: { aggregateId: nodeId, userId, sequenceId, updatedAt: 0, alarmStatus: 4, alarmsChanged: true },
  };
};

/** Locales with the beginnings of two ids that follow one another by their bytes, and the other way round by the locale. */
describe.each([
  ['cs_CZ.UTF-8', 'H and CH are letters of their own', '01KCH9', '01KCJ0'],
  ['da_DK.UTF-8', 'AA is the last letter', '01KAA9', '01KAB0'],
])('a Redis in the locale %s, where %s', (locale, _why, older, newer) => {
  let ground: RedisGround;
  let redis: ReturnType<typeof createClient>;
  let url: string;
  beforeAll(async () => {
    ground = await redisGround(false, { LC_ALL: locale });
    ({ url } = await ground.server());
    redis = createClient({ url });
    redis.on('error', () => undefined);
    await redis.connect();
  });
  afterAll(async () => {
    redis.destroy();
    await ground.stop();
  });
  const published = async (stream: string): Promise<ReadonlyArray<string | undefined>> =>
    ((await redis.xRange(stream, '-', '+')) ?? []).map(({ message }) => message['sequenceId']);

  test('its scripts do compare text by the locale', async () => {
    expect(await redis.eval('return ARGV[1] < ARGV[2] and 1 or 0', { arguments: [older, newer] })).toBe(0);
  });

  test('gets every event, in the order of the ids, and none again', async () => {
    const stream = `events-${randomUUID()}`;
    const nodeId = randomUUID();
    const publisher = createPublisher({ client: redis }, eventSettings({ stream }));
    const [first, second, third] = [older, newer, `${newer}1`].map((start) => event(nodeId, start));
    await publisher.append({ nodeId, events: [first!] });
    await publisher.append({ nodeId, events: [second!] });
    await publisher.append({ nodeId, events: [first!, second!, third!] });
    await publisher.append({ nodeId, events: [first!] });
    expect(await published(stream)).toEqual([first, second, third].map((one) => one?.sequenceId));
  });

  test('has a consumer take each event once', async () => {
    const [stream, group] = [`events-${randomUUID()}`, `group-${randomUUID()}`];
    const nodeId = randomUUID();
    const publisher = createPublisher({ client: redis }, eventSettings({ stream }));
    const events = [older, newer].map((start) => event(nodeId, start));
    for (const one of [...events, events[0]!]) {
      await publisher.append({ nodeId, events: [one] });
      await redis.del(`${stream}:published`); // so that the last one is there again, as after a loss of data
    }
    const stopping = new AbortController();
    const running = consumeEvents({
      ...{ redis: { url }, stream, group, claimAfterMs: 2_000 },
      handle: ({ sequenceId }) => ({ trail: sequenceId }),
      signal: stopping.signal,
    });
    await vi.waitFor(
      async () => expect(await redis.xInfoGroups(stream)).toMatchObject([{ 'entries-read': 3, pending: 0 }]),
      { timeout: 20_000, interval: 50 },
    );
    stopping.abort();
    await running;
    expect(await redis.lRange(`${stream}:${group}:trail`, 0, -1)).toEqual(events.map(({ sequenceId }) => sequenceId));
  });
});
