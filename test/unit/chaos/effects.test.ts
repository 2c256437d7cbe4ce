import { expect, test } from 'vitest';
import { compareEffects, expectedOfReader, lastingAlarms, type Events } from '../../chaos/consumers/effects';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';

const expected = ['a 1', 'a 2', 'b 1'];

test.each<readonly [found: ReadonlyArray<string>, comes: Partial<ReturnType<typeof compareEffects>>]>([
  [['b 1', 'a 1', 'a 2'], { lost: [], doubled: [], isInOrder: true }],
  [['a 2', 'a 1', 'b 1'], { lost: [], doubled: [], isInOrder: false }],
  [['a 1', 'b 1'], { lost: ['a 2'], doubled: [] }],
  [['a 1', 'a 2', 'a 2', 'b 1'], { lost: [], doubled: ['a 2'] }],
  [['a 1', 'a 2', 'b 1', 'c 1'], { lost: [], doubled: ['c 1'] }],
])('effects %j beside those of a 1, a 2, b 1', (found, comes) => {
  expect(compareEffects(expected, found)).toMatchObject(comes);
});

test('an order opens, changes and closes with its part, and NO_DATA changes nothing', () => {
  const event = (sequenceId: string, data: object): OutboxEvent => ({
    ...{ type: 'PointAlarmStatusEvent', sequenceId, timestamp: 0, userId: 'tester' },
    data: {
      aggregateId: 'a',
      userId: 'tester',
      sequenceId,
      updatedAt: 0,
      alarmStatus: 0,
      alarmsChanged: true,
      ...data,
    },
  });
  const part = (status: number) => ({ overallAlarm: { status } });
  const events: Events = new Map([
    ['a', [3, 4, 1, 4, 2, 4].map((status, at) => event(String(at), part(status)))],
    ['b', [event('0', {})]],
  ]);
  expect(expectedOfReader(events)).toEqual([
    ...['a 6 events', 'a 0/overallAlarm/3', 'a 1/overallAlarm/4', 'a 4/overallAlarm/0', 'a 5/overallAlarm/4'],
    'b 1 events',
  ]);
  expect(lastingAlarms(events)).toEqual(['a overall danger']);
});
