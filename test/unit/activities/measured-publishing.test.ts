import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measurePublications } from '../../../activities/activities';
import { measurePublisher } from '../../../stream/measured-publisher';
import type { Batch, Publisher } from '../../../stream/append';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';

const event = (sequenceId: string, timestamp: number): OutboxEvent => ({
  type: 'PointAlarmStatusEvent',
  sequenceId,
  timestamp,
  userId: 'u',
  data: {},
});
const batch = (...events: ReadonlyArray<OutboxEvent>): Batch => ({ nodeId: 'n', events });

/** A publisher of which each publication adds so many events. */
const adding = (added: number): Publisher => ({
  append: ({ events }) => Promise.resolve({ newest: events.at(-1)?.sequenceId ?? '', added }),
});

const started = () => {
  const registry = new Registry();
  const value = async (name: string): Promise<number> => {
    const line = (await registry.metrics()).split('\n').find((one) => new RegExp(`^${name}[ {]`, 'u').test(one));
    return Number(line?.split(' ').at(-1));
  };
  return { registry, value };
};

test('events wait from when their publication begins until it ends, and the oldest tells its age', async () => {
  const { registry, value } = started();
  const ends: ((last: string) => void)[] = [];
  const { publishEvents } = measurePublications(
    { publishEvents: () => new Promise((end) => ends.push(end)) },
    registry,
  );
  const first = publishEvents(batch(event('1', Date.now() - 60_000), event('2', Date.now())));
  const second = publishEvents(batch(event('1', Date.now() - 1_000)));
  expect(await value('point_alarm_waiting_events')).toBe(3);
  expect(await value('point_alarm_oldest_waiting_event_age_seconds')).toBeCloseTo(60, 0);
  ends[0]?.('2');
  await first;
  expect(await value('point_alarm_waiting_events')).toBe(1);
  expect(await value('point_alarm_oldest_waiting_event_age_seconds')).toBeCloseTo(1, 0);
  ends[1]?.('1');
  await second;
  expect(await value('point_alarm_oldest_waiting_event_age_seconds')).toBe(0);
});

test('a publication that fails waits no longer', async () => {
  const { registry, value } = started();
  const failing = { publishEvents: () => Promise.reject(new Error('away')) };
  const { publishEvents } = measurePublications(failing, registry);
  await expect(publishEvents(batch(event('1', 0)))).rejects.toThrow('away');
  expect(await value('point_alarm_waiting_events')).toBe(0);
});

test('what is appended is counted, and how late it is', async () => {
  const { registry, value } = started();
  const { append } = measurePublisher(adding(2), registry);
  await append(batch(event('1', Date.now() - 60_000), event('2', Date.now())));
  expect(await value('point_alarm_events_published_total')).toBe(2);
  expect(await value('point_alarm_publish_lag_seconds_sum')).toBeCloseTo(60, 0);
});

test('what was in the stream before is neither counted nor late', async () => {
  const { registry, value } = started();
  const { append } = measurePublisher(adding(1), registry);
  const repeated = batch(event('1', Date.now() - 600_000), event('2', Date.now() - 60_000));
  expect(await append(repeated)).toEqual({ newest: '2', added: 1 });
  expect(await value('point_alarm_events_published_total')).toBe(1);
  expect(await value('point_alarm_publish_lag_seconds_sum')).toBeCloseTo(60, 0);
});

test('a publication that adds nothing counts nothing', async () => {
  const { registry, value } = started();
  const { append } = measurePublisher(adding(0), registry);
  await append(batch(event('1', Date.now()), event('2', Date.now())));
  expect(await value('point_alarm_events_published_total')).toBeNaN();
  expect(await value('point_alarm_publish_lag_seconds_count')).toBe(0);
});

test('every try that fails is counted, and published nothing', async () => {
  const { registry, value } = started();
  const { append } = measurePublisher({ append: () => Promise.reject(new Error('away')) }, registry);
  await expect(append(batch(event('1', 0)))).rejects.toThrow('away');
  await expect(append(batch())).rejects.toThrow('away');
  expect(await value('point_alarm_publish_failures_total')).toBe(2);
  expect(await value('point_alarm_events_published_total')).toBeNaN();
  expect(await value('point_alarm_publish_lag_seconds_count')).toBe(0);
});

test('a clock ahead of ours makes no negative age', async () => {
  const { registry, value } = started();
  const { append } = measurePublisher(adding(1), registry);
  await append(batch(event('1', Date.now() + 60_000)));
  expect(await value('point_alarm_publish_lag_seconds_sum')).toBe(0);
});
