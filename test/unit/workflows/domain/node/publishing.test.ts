import { describe, expect, test } from 'vitest';
import { newNode } from '../../../../../workflows/domain/node/state';
import {
  patchThreshold,
  recalculate,
  recordMeasurement,
  republish,
  setExternalAlarm,
  setThreshold,
} from '../../../../support/commands';
import { answers, dataPoint, inspection, overall } from '../../../../support/measurements';
import {
  accepted,
  anId,
  nodeAfter,
  nodeId,
  send,
  START,
  userId,
  waiting,
  type Sent,
} from '../../../../support/scenario';

const NOW = START + 3_600_000;

/** Types and contents of what `when` publishes, without the ids, which have a test of their own. */
const publishedBy = (given: ReadonlyArray<Sent>, when: Sent): ReadonlyArray<unknown> => {
  const before = nodeAfter(given);
  return waiting(accepted(send(before, when, NOW)).node)
    .slice(before.outbox.waiting.length)
    .map(([type, { sequenceId: _, ...data }]) => [type, data]);
};
const about = { aggregateId: nodeId, userId, updatedAt: NOW };
const status = (alarmStatus: number, alarmsChanged: boolean, parts = {}) => [
  'PointAlarmStatusEvent',
  { ...about, alarmStatus, alarmsChanged, ...parts },
];
const set = (content: { readonly [member: string]: unknown; readonly threshold: object }) => [
  'SetPointAlarmThresholdEvent',
  { ...about, revision: 1, ...content },
];
const keyed = { idempotencyKey: 'a' };
const cleared = (content: object) => set({ ...content, thresholdType: 0, threshold: { nodeId, thresholdType: 0 } });
const untyped = { inspection: inspection.inspection };
const by = (n: number, of: number) => ({ status: of, triggeringMeasurement: anId(n) });
const origin = { id: '1', type: 'asset', provider: 'import' };

// That a status event shows what GET shows, and tells where alarms changed, are laws of `node.prop.test.ts`.
describe('what is published', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent, then: ReadonlyArray<unknown>]>([
    [
      'the threshold, then the status',
      [],
      setThreshold(overall),
      [set({ thresholdType: 2, threshold: { nodeId, ...overall } }), status(1, true, { overallAlarm: { status: 1 } })],
    ],
    [
      'the threshold without a type it does not have',
      [],
      setThreshold(untyped),
      [set({ threshold: { nodeId, ...untyped } }), status(1, true, { inspectionAlarm: { status: 1 } })],
    ],
    ['the threshold alone, of a node that holds no part', [], setThreshold({ thresholdType: 0 }), [cleared({})]],
    ['the origin of a threshold', [], setThreshold({ origin }), [set({ threshold: { nodeId }, origin })]],
    [
      'a threshold without the origin of the one before',
      [setThreshold({ origin })],
      patchThreshold([{ op: 'add', path: '/fullScale', value: 1 }]),
      [set({ revision: 2, threshold: { nodeId, fullScale: 1 } })],
    ],
    [
      'a cleared threshold, and a status without parts',
      [setThreshold(overall)],
      setThreshold({ thresholdType: 0 }),
      [cleared({ revision: 2 }), status(0, true)],
    ],
    [
      'a measurement that rates no part of those held',
      [setThreshold(overall)],
      recordMeasurement(answers(['fine'])),
      [status(1, false, { measurementId: anId(2), overallAlarm: { status: 1 } })],
    ],
    [
      'a recalculation, which names no measurement that came',
      [setThreshold(overall), recordMeasurement(dataPoint(15))],
      recalculate(),
      [status(4, false, { overallAlarm: by(1, 4) })],
    ],
    ['nothing for a measurement of a node that holds no part', [], recordMeasurement(dataPoint(0)), []],
    [
      'an external alarm',
      [],
      setExternalAlarm({ status: 3, setBy: anId(7) }),
      [status(3, true, { externalAlarm: { status: 3, setBy: anId(7) } })],
    ],
    [
      'threshold and status again, as they were set and rated, by whoever asks',
      [setThreshold({ ...overall, origin }), recordMeasurement(dataPoint(15))],
      republish({ userId: 'operator' }),
      [
        set({ userId: 'operator', updatedAt: START, thresholdType: 2, threshold: { nodeId, ...overall } }),
        status(4, false, { userId: 'operator', updatedAt: START + 1_000, overallAlarm: by(1, 4) }),
      ],
    ],
    [
      'the status again, of a node that never got a threshold',
      [setExternalAlarm({ status: 3 })],
      republish(),
      [status(3, false, { updatedAt: START, externalAlarm: { status: 3 } })],
    ],
    [
      'again that a node holds no part any more',
      [setThreshold(overall), setThreshold({ thresholdType: 0 })],
      republish(),
      [cleared({ revision: 2, updatedAt: START + 1_000 }), status(0, false, { updatedAt: START + 1_000 })],
    ],
    ['nothing for a request that is only remembered', [setThreshold(overall)], patchThreshold([], keyed), []],
  ])('%s', (_name, given, when, then) => expect(publishedBy(given, when)).toEqual(then));

  test('carries who caused it, when, and under which id, inside and outside', () => {
    const [event] = nodeAfter([setExternalAlarm({ status: 3 }, { userId: 'a technician' })]).outbox.waiting;
    expect(event).toEqual({
      type: 'PointAlarmStatusEvent',
      sequenceId: '01KG9QXG805PEAR9G0AJPCC3R0',
      timestamp: START,
      userId: 'a technician',
      data: {
        aggregateId: nodeId,
        userId: 'a technician',
        sequenceId: '01KG9QXG805PEAR9G0AJPCC3R0',
        updatedAt: START,
        alarmStatus: 3,
        alarmsChanged: true,
        externalAlarm: { status: 3 },
      },
    });
  });
});

test('publishing again changes nothing but the ids of events', () => {
  const before = nodeAfter([setThreshold(overall), recordMeasurement(dataPoint(15))]);
  const { node } = accepted(send(before, republish(), NOW));
  expect(node.state).toEqual({ ...before.state, sequenceId: node.outbox.waiting.at(-1)?.sequenceId });
});

describe('updatedAt', () => {
  test('is the time of the last update', () => {
    expect(nodeAfter([setThreshold(overall), recordMeasurement(dataPoint(0))]).state.updatedAt).toBe(START + 1_000);
  });

  test('stays 0 while a node holds neither threshold nor part', () => {
    expect(accepted(send(newNode(nodeId), recordMeasurement(dataPoint(0)), START)).node.state.updatedAt).toBe(0);
  });
});
