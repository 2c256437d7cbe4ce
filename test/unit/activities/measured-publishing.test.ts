import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measurePublishing } from '../../../activities/measured-publishing';
import type { Batch } from '../../../activities/publish-events';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';

const event = (sequenceId: string, timestamp: number): OutboxEvent => ({
  type: 'PointAlarmStatusEvent',
  sequenceId,
  timestamp,
  userId: 'u',
  data: {},
});
const batch = (...events: ReadonlyArray<OutboxEvent>): Batch => ({ nodeId: 'n', events });

const started = () => {
  const registry = new Registry();
  const { activities, publisher } = measurePublishing(registry);
  const value = async (name: string): Promise<number> => {
    const line = (await registry.metrics()).split('\n').find((one) => new RegExp(`^${name}[ {]`, 'u').test(one));
    return Number(line?.split(' ').at(-1));
  };
  return { activities, publisher, value };
};

test('events wait from when their publication begins until it ends, and the oldest tells its age', async () => {
  const { activities, value } = started();
  const ends: ((last: string) => void)[] = [];
  const { publishEvents } = activities({ publishEvents: () => new Promise((end) => ends.push(end)) });
  const first = publishEvents(batch(event('1', Date.now() - 60_000), event('2', Date.now())));
  const second = publishEvents(batch(event('1', Date.now() - 1_000)));
  expect(await value('point_alarm_waiting_events')).toBe(3);
  expect(await value('point_alarm_oldest_waiting_event_age_seconds')).toBeCloseTo(60, 0);
  ends[0]?.('2');
  await first;
  expect(await value('point_alarm_waiting_events')).toBe(1);
  expect(await value('point_alarm_oldest_waiting_event_age_seconds')).toBeCloseTo(1, 0);
  expect(await value('point_alarm_events_published_total')).toBe(2);
  expect(await value('point_alarm_publish_lag_seconds_sum')).toBeCloseTo(60, 0);
  ends[1]?.('1');
  await second;
  expect(await value('point_alarm_oldest_waiting_event_age_seconds')).toBe(0);
});

test('a publication that fails published nothing, and waits no longer', async () => {
  const { activities, value } = started();
  const { publishEvents } = activities({ publishEvents: () => Promise.reject(new Error('away')) });
  await expect(publishEvents(batch(event('1', 0)))).rejects.toThrow('away');
  expect(await value('point_alarm_waiting_events')).toBe(0);
  expect(await value('point_alarm_publish_lag_seconds_count')).toBe(0);
});

test('every try that fails is counted', async () => {
  const { publisher, value } = started();
  const { append } = publisher({ append: () => Promise.reject(new Error('away')) });
  await expect(append(batch())).rejects.toThrow('away');
  await expect(append(batch())).rejects.toThrow('away');
  expect(await value('point_alarm_publish_failures_total')).toBe(2);
});

test('a clock ahead of ours makes no negative age', async () => {
  const { activities, value } = started();
  const { publishEvents } = activities({ publishEvents: () => Promise.resolve('1') });
  await publishEvents(batch(event('1', Date.now() + 60_000)));
  expect(await value('point_alarm_publish_lag_seconds_sum')).toBe(0);
});
