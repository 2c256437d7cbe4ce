import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { REMEMBERED_REQUESTS } from '../../../workflows/domain/limits';
import {
  accepted,
  anId,
  dataPoint,
  nodeAfter,
  overall,
  patchThreshold,
  recalculate,
  recordMeasurement,
  send,
  setExternalAlarm,
  setThreshold,
  START,
  type Sent,
} from '../../scenario';

const later = START + 3_600_000;
const alarm = (n: number, about = {}): Sent => setExternalAlarm({ status: 2 }, { requestId: `request ${n}`, ...about });
const unchanged = E.left({ _tag: 'Unchanged' });

describe('a request id', () => {
  test.each<[name: string, when: Sent]>([
    ['setThreshold', setThreshold(overall, { requestId: 'a' })],
    ['patchThreshold', patchThreshold([{ op: 'add', path: '/fullScale', value: 1 }], { requestId: 'a' })],
    ['recordMeasurement', recordMeasurement(dataPoint(1), { requestId: 'a' })],
    ['recalculate', recalculate({ requestId: 'a' })],
    ['setExternalAlarm', setExternalAlarm({ status: 3 }, { requestId: 'a' })],
  ])('is applied once: %s', (_name, when) => {
    const once = nodeAfter([setExternalAlarm({ status: 2 }), when]);
    expect(send(once, when, later)).toEqual(unchanged);
    expect(once.state.remembered.map(({ id }) => id)).toEqual(['a']);
  });

  test('is remembered for 256 requests', () => {
    const node = nodeAfter(Array.from({ length: REMEMBERED_REQUESTS }, (_, index) => alarm(index)));
    expect(node.state.remembered).toHaveLength(256);
    expect(send(node, alarm(0), later)).toEqual(unchanged);
    const { node: next } = accepted(send(node, alarm(256), later));
    expect(next.state.remembered).toHaveLength(256);
    expect(E.isRight(send(next, alarm(0), later))).toBe(true);
    expect(send(next, alarm(1), later)).toEqual(unchanged);
    expect(send(next, alarm(256), later)).toEqual(unchanged);
  });

  test.each<[name: string, given: Sent, when: Sent]>([
    ['another command', setThreshold({}, { requestId: 'a' }), recalculate({ requestId: 'a' })],
    ['another threshold', setThreshold({}, { requestId: 'a' }), setThreshold(overall, { requestId: 'a' })],
    [
      'another origin',
      setThreshold({}, { requestId: 'a' }),
      setThreshold({ origin: { id: '', type: '', provider: '' } }, { requestId: 'a' }),
    ],
    [
      'other operations',
      patchThreshold([{ op: 'add', path: '/fullScale', value: 1 }], { requestId: 'a' }),
      patchThreshold([{ op: 'add', path: '/fullScale', value: 2 }], { requestId: 'a' }),
    ],
    [
      'another measurement',
      recordMeasurement(dataPoint(1), { requestId: 'a' }),
      recordMeasurement(dataPoint(2), { requestId: 'a' }),
    ],
    [
      'another status',
      setExternalAlarm({ status: 2 }, { requestId: 'a' }),
      setExternalAlarm({ status: 3 }, { requestId: 'a' }),
    ],
    [
      'an alarm set by somebody else',
      setExternalAlarm({ status: 2, setBy: anId(7) }, { requestId: 'a' }),
      setExternalAlarm({ status: 2, setBy: anId(8) }, { requestId: 'a' }),
    ],
    [
      'another user',
      setExternalAlarm({ status: 2 }, { requestId: 'a' }),
      setExternalAlarm({ status: 2 }, { requestId: 'a', userId: 'someone else' }),
    ],
  ])('is not known again for %s', (_name, given, when) => {
    expect(send(nodeAfter([given]), when, later)).toMatchObject(E.left({ _tag: 'IdempotencyConflict' }));
  });

  test.each<[name: string, given: Sent, when: Sent]>([
    [
      'a body in another order',
      setThreshold({ thresholdType: 0, fullScale: 1 }, { requestId: 'a' }),
      setThreshold({ fullScale: 1, thresholdType: 0 }, { requestId: 'a' }),
    ],
    [
      'the other name of a band’s limits',
      setThreshold({ bandAlarms: [{ overallThreshold: {} }] }, { requestId: 'a' }),
      setThreshold({ bandAlarms: [{ overallAlarmThreshold: {} }] }, { requestId: 'a' }),
    ],
    ['another If-Match', setThreshold({}, { requestId: 'a' }), setThreshold({}, { requestId: 'a', ifMatch: 7 })],
    [
      'an alarm whose setter is null',
      setExternalAlarm({ status: 2 }, { requestId: 'a' }),
      setExternalAlarm({ status: 2, setBy: null }, { requestId: 'a' }),
    ],
    [
      'members that an operation does not need',
      patchThreshold([{ op: 'add', path: '/fullScale', value: 1 }], { requestId: 'a' }),
      patchThreshold([{ op: 'add', path: '/fullScale', value: 1, comment: 'twice' }], { requestId: 'a' }),
    ],
  ])('is known again for %s', (_name, given, when) => {
    expect(send(nodeAfter([given]), when, later)).toEqual(unchanged);
  });

  test('of a refused request is forgotten', () => {
    const node = nodeAfter([]);
    expect(E.isLeft(send(node, setThreshold({}, { requestId: 'a', ifMatch: 3 }), later))).toBe(true);
    expect(E.isRight(send(node, setThreshold(overall, { requestId: 'a' }), later))).toBe(true);
  });
});

describe('a request for which there was nothing to do', () => {
  test('is remembered when the caller chose its id: another one under it is a conflict', () => {
    const node = nodeAfter([patchThreshold([], { requestId: 'a', keyed: true })]);
    expect(node.state.remembered.map(({ id }) => id)).toEqual(['a']);
    expect(node.outbox.waiting).toEqual([]);
    expect(send(node, patchThreshold([], { requestId: 'a', keyed: true }), later)).toEqual(unchanged);
    expect(send(node, setThreshold({}, { requestId: 'a', keyed: true }), later)).toMatchObject(
      E.left({ _tag: 'IdempotencyConflict' }),
    );
  });

  test.each<[name: string, about: Readonly<Record<string, unknown>>]>([
    ['made for him', { requestId: 'a' }],
    ['said not to be his', { requestId: 'a', keyed: false }],
    ['not given', { keyed: true }],
  ])('is not when its id was %s', (_name, about) => {
    expect(send(nodeAfter([]), patchThreshold([], about), later)).toEqual(unchanged);
  });

  test('that is refused is not remembered either', () => {
    const refused = send(
      nodeAfter([]),
      patchThreshold([{ op: 'remove', path: '/overall' }], { requestId: 'a', keyed: true }),
      later,
    );
    expect(refused).toMatchObject(E.left({ _tag: 'PatchConflict' }));
  });
});
