import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { KEY_KNOWN_MS, KEYS_KNOWN, MOST_KEYS } from '../../../../../workflows/domain/limits';
import { rememberWrite } from '../../../../../workflows/domain/node/repeats';
import type { Node } from '../../../../../workflows/domain/node/state';
import {
  patchThreshold,
  recalculate,
  recordMeasurement,
  setExternalAlarm,
  setThreshold,
} from '../../../../support/commands';
import { answers, dataPoint, overall } from '../../../../support/measurements';
import { accepted, anId, nodeAfter, nodeId, send, START, type Sent } from '../../../../support/scenario';

const later = START + 3_600_000;
const alarm = (n: number, about = {}): Sent =>
  setExternalAlarm({ status: 2 }, { idempotencyKey: `request ${n}`, ...about });
const keyed = { idempotencyKey: 'a' };
const scaled = (value: number, more = {}) => [{ op: 'add', path: '/fullScale', value, ...more }];
const external = (alarm: Readonly<Record<string, unknown>>, about = keyed) => setExternalAlarm(alarm, about);
const unchanged = E.left({ _tag: 'Unchanged', revision: expect.any(Number) as number });

describe('a request id', () => {
  test('is answered with the revision that its write left', () => {
    const node = nodeAfter([setThreshold({}, keyed), setThreshold(overall), setThreshold({})]);
    expect(send(node, setThreshold({}, keyed), later)).toEqual(E.left({ _tag: 'Unchanged', revision: 1 }));
  });

  const keysAfter = (count: number, at: (index: number) => number): Node =>
    Array.from({ length: count }).reduce<Node>(
      (node, _, index) => accepted(send(node, alarm(index), at(index))).node,
      nodeAfter([]),
    );
  const isKnown = (node: Node, index: number, at: number): boolean => E.isLeft(send(node, alarm(index), at));

  test('is known for ten minutes, however many come after it', () => {
    expect(
      isKnown(
        keysAfter(KEYS_KNOWN + 100, (index) => START + index),
        0,
        START + KEY_KNOWN_MS,
      ),
    ).toBe(true);
  });

  test('is known among the last 256, however old', () => {
    const node = keysAfter(KEYS_KNOWN + 1, () => START);
    const next = accepted(send(node, alarm(KEYS_KNOWN + 1), START + KEY_KNOWN_MS + 1)).node;
    expect(next.state.writes).toHaveLength(KEYS_KNOWN);
    expect(isKnown(next, 1, later)).toBe(false);
    expect(isKnown(next, 2, later)).toBe(true);
  });

  test('is known among the last 8,192 at most', () => {
    const writeOf = (key: string) => ({ key, request: '', revision: 0, at: START });
    const writes = Array.from({ length: MOST_KEYS }, (_, index) => writeOf(`${index}`));
    const [first, ...rest] = writes;
    expect(rememberWrite(rest, writeOf('new'))).toHaveLength(MOST_KEYS);
    const bounded = rememberWrite(writes, writeOf('new'));
    expect(bounded).toHaveLength(MOST_KEYS);
    expect(bounded).not.toContain(first);
  });

  test('costs a call without one nothing', () => {
    expect(nodeAfter([setExternalAlarm({ status: 2 }), recalculate()]).state.writes).toEqual([]);
  });

  test.each<[name: string, given: Sent, when: Sent]>([
    ['another command', setThreshold({}, keyed), recalculate(keyed)],
    ['another threshold', setThreshold({}, keyed), setThreshold(overall, keyed)],
    ['another origin', setThreshold({}, keyed), setThreshold({ origin: { id: '', type: '', provider: '' } }, keyed)],
    ['other operations', patchThreshold(scaled(1), keyed), patchThreshold(scaled(2), keyed)],
    ['another measurement', recordMeasurement(dataPoint(1), keyed), recordMeasurement(dataPoint(2), keyed)],
    ['another status', external({ status: 2 }), external({ status: 3 })],
    ['an alarm of somebody else', external({ status: 2, setBy: anId(7) }), external({ status: 2, setBy: anId(8) })],
    ['another user', external({ status: 2 }), external({ status: 2 }, { ...keyed, ...{ userId: 'someone else' } })],
  ])('is not known again for %s', (_name, given, when) => {
    expect(send(nodeAfter([given]), when, later)).toMatchObject(E.left({ _tag: 'IdempotencyConflict' }));
  });

  const set = (threshold: object, about = {}) => setThreshold({ ...threshold }, { ...keyed, ...about });
  const limited = (name: string) => set({ bandAlarms: [{ [name]: {} }] });
  const scaling = (more = {}) => patchThreshold(scaled(1, more), keyed);
  test.each<[name: string, given: Sent, when: Sent]>([
    ['a body in another order', set({ thresholdType: 0, fullScale: 1 }), set({ fullScale: 1, thresholdType: 0 })],
    ['the other name of a band’s limits', limited('overallThreshold'), limited('overallAlarmThreshold')],
    ['another If-Match', set({}), set({}, { ifMatch: 7 })],
    ['an alarm whose setter is null', external({ status: 2 }), external({ status: 2, setBy: null })],
    ['members that an operation does not need', scaling(), scaling({ comment: 'twice' })],
  ])('is known again for %s', (_name, given, when) => expect(send(nodeAfter([given]), when, later)).toEqual(unchanged));

  test('of a refused request is forgotten', () => {
    const node = nodeAfter([]);
    expect(E.isLeft(send(node, setThreshold({}, { ...keyed, ifMatch: 3 }), later))).toBe(true);
    expect(E.isRight(send(node, setThreshold(overall, keyed), later))).toBe(true);
  });
});

test('a request for which there was nothing to do is remembered: another one under its id is a conflict', () => {
  const node = nodeAfter([patchThreshold([], keyed)]);
  expect(node.outbox.waiting).toEqual([]);
  expect(send(node, patchThreshold([], keyed), later)).toEqual(unchanged);
  expect(send(node, setThreshold({}, keyed), later)).toMatchObject(E.left({ _tag: 'IdempotencyConflict' }));
});

const at = (second: number, y: number, more = {}): Sent =>
  recordMeasurement(
    dataPoint(y, { createdAt: `2026-01-31T09:00:0${second}.000Z`, measurementId: anId(second), ...more }),
  );
const [older, newer] = [at(1, 0), at(2, 15)];
const rates = { ...overall, rateOfChange: { innerHigh: 1 } };
const olderOfItsId = at(1, 0, { measurementId: anId(2) });
const changing = at(2, 15, { rateOfChange: 5 });
const tagged = (tags: object) => at(2, 1, { tags });
const answered = (rateOfChange: number | null, more = {}) => recordMeasurement(answers([], { rateOfChange, ...more }));

test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent, then: 'repeat' | 'applied']>([
  ['at once', [newer], newer, 'repeat'],
  ['after one of another content type', [newer, recordMeasurement(answers([]))], newer, 'repeat'],
  ['that names the node', [newer], at(2, 15, { nodeId }), 'repeat'],
  ['with its properties in another order', [tagged({ a: 1, b: 2 })], tagged({ b: 2, a: 1 }), 'repeat'],
  ['under another id', [newer], at(2, 15, { measurementId: anId(9) }), 'applied'],
  ['that is not the newest, at once', [newer, older], older, 'repeat'],
  ['after another one', [older, newer], older, 'applied'],
  ['after a recalculation by itself', [newer, recalculate()], newer, 'repeat'],
  ['after a recalculation by a newer one', [newer, older, recalculate()], older, 'applied'],
  ['the newer one, which the recalculation rated by', [newer, older, recalculate()], newer, 'repeat'],
  ['after a new threshold that a newer one rated', [newer, older, setThreshold(overall)], older, 'applied'],
  ['after a patch that a newer one rated', [newer, older, patchThreshold(scaled(1))], older, 'applied'],
  ['with other content', [newer], at(2, 16), 'applied'],
  [
    'with the content that a recalculation did not rate by, under the id that it did',
    [at(2, 15), olderOfItsId, recalculate()],
    olderOfItsId,
    'applied',
  ],
  ['after an external alarm', [newer, setExternalAlarm({ status: 3 })], newer, 'repeat'],
  ['whose rate another one has replaced', [setThreshold(rates), changing, answered(0)], changing, 'applied'],
  [
    'by whose rate a recalculation rated, not by the older one that came after it',
    [setThreshold(rates), changing, answered(0, { createdAt: '2026-01-31T09:00:01.000Z' }), recalculate()],
    changing,
    'repeat',
  ],
  ['whose rate of change rates nothing', [changing, answered(0)], changing, 'repeat'],
  ['with the rate that was rated last', [setThreshold(rates), changing, answered(null)], changing, 'repeat'],
])('a measurement that comes again %s', (_name, given, when, then) => {
  const answer = send(nodeAfter([setThreshold(overall), ...given]), when, later);
  expect(E.isRight(answer) ? 'applied' : 'repeat').toBe(then);
  if (E.isLeft(answer)) expect(answer).toEqual(unchanged);
});
