import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measurePublications } from '../../../activities/publish-events';
import { measurePublisher } from '../../../stream/append';
import type { NodeEvents } from '../../../stream/append';

/** A batch of events of these ages (s). */
const batch = (...ages: ReadonlyArray<number>): NodeEvents => ({
  nodeId: 'n',
  events: ages.map((age, at) => ({
    ...{ type: 'PointAlarmStatusEvent', sequenceId: String(at), userId: 'u', data: {} },
    timestamp: Date.now() - 1_000 * age,
  })),
});

const started = () => {
  const registry = new Registry();
  const value = async (name: string): Promise<number> => {
    const line = (await registry.metrics()).split('\n').find((one) => new RegExp(`^${name}[ {]`, 'u').test(one));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  return { registry, value };
};

test('events wait from when their publication begins until it ends or fails, and the oldest tells its age', async () => {
  const { registry, value } = started();
  const ends: Readonly<Record<'resolve' | 'reject', (end: string) => void>>[] = [];
  const waiting = () => Promise.all([value('point_alarm_waiting_events'), value(AGE)]);
  const { publishEvents } = measurePublications(
    { publishEvents: () => new Promise((resolve, reject) => ends.push({ resolve, reject })) },
    registry,
  );
  const first = publishEvents(batch(60, 0));
  const second = publishEvents(batch(1));
  expect(await waiting()).toEqual([3, expect.closeTo(60, 0)]);
  ends[0]?.resolve('2');
  await first;
  expect(await waiting()).toEqual([1, expect.closeTo(1, 0)]);
  ends[1]?.reject('unavailable');
  await expect(second).rejects.toBe('unavailable');
  expect(await waiting()).toEqual([0, 0]);
});

const AGE = 'point_alarm_oldest_waiting_event_age_seconds';

test.each([
  ['what is appended is counted, and how late it is', [60, 0], 2, 60],
  ['what was in the stream before is neither counted nor late', [600, 60], 1, 60],
  ['a publication that adds nothing counts nothing', [0, 0], 0, 0],
  ['a clock ahead of ours makes no negative age', [-60], 1, 0],
])('%s', async (_, ages, added, lag) => {
  const { registry, value } = started();
  const appended = { newest: '2', added, isPublished: true };
  const { append } = measurePublisher({ append: () => Promise.resolve(appended) }, registry);
  expect(await append(batch(...ages))).toEqual(appended);
  expect(await value('point_alarm_events_published_total')).toBe(added);
  expect(await value('point_alarm_publish_lag_seconds_count')).toBe(added);
  expect(await value('point_alarm_publish_lag_seconds_sum')).toBeCloseTo(lag, 0);
});

test('every try that fails is counted, and published nothing', async () => {
  const { registry, value } = started();
  const { append } = measurePublisher({ append: () => Promise.reject(new Error('away')) }, registry);
  await expect(append(batch(0))).rejects.toThrow('away');
  await expect(append(batch())).rejects.toThrow('away');
  expect(await value('point_alarm_publish_failures_total')).toBe(2);
  expect(await value('point_alarm_events_published_total')).toBe(0);
});
