import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { applyCommand } from '../../../../../workflows/domain/node/apply-group';
import type { Rejection } from '../../../../../workflows/domain/node/commands';
import {
  accepted,
  anId,
  answers,
  dataPoint,
  inspection,
  nodeAfter,
  nodeId,
  overall,
  patchThreshold,
  recalculate,
  recordMeasurement,
  republish,
  send,
  setExternalAlarm,
  setThreshold,
  START,
  userId,
  type Sent,
} from '../../../../support/scenario';

const later = START + 60_000;
const other = '99999999-9999-4999-8999-999999999999';
const raise = [{ op: 'replace', path: '/overall/innerHigh', value: 12 }];
const keyed = { idempotencyKey: 'a' };
const failedAt = (revision: number): Rejection => ({ _tag: 'PreconditionFailed', revision });
const noRevision = 'must be a revision: an integer from 0';
const invalid = (...reasons: ReadonlyArray<readonly [string, string]>): Rejection => ({
  _tag: 'InvalidCommand',
  reasons: reasons.map(([name, reason]) => ({ name, reason })),
});
const noUser = invalid(['userId', 'must be text of 1 to 256 printable characters']);

describe('a node refuses', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent, then: Rejection]>([
    ['a threshold at another revision', [setThreshold(overall)], setThreshold({}, { ifMatch: 0 }), failedAt(1)],
    ['a patch at another revision', [setThreshold(overall)], patchThreshold(raise, { ifMatch: [0, 2] }), failedAt(1)],
    ['a first threshold at a revision', [], setThreshold({}, { ifMatch: [1] }), failedAt(0)],
    ['any revision, where none is named', [], setThreshold({}, { ifMatch: [] }), failedAt(0)],
    [
      'a threshold at a revision that it must not have',
      [setThreshold(overall)],
      setThreshold({}, { ifNoneMatch: [0, 1] }),
      failedAt(1),
    ],
    ['a patch where none was ever set, which one must be', [], patchThreshold([], { ifNoneMatch: 0 }), failedAt(0)],
    [
      'a revision that must be and must not be',
      [setThreshold(overall)],
      setThreshold({}, { ifMatch: 1, ifNoneMatch: 1 }),
      failedAt(1),
    ],
    [
      'a patch that does not apply',
      [],
      patchThreshold(raise),
      { _tag: 'PatchConflict', reasons: [{ name: '0.path', reason: '/overall/innerHigh does not exist' }] },
    ],
    [
      'a patch to what is no threshold',
      [setThreshold(overall)],
      patchThreshold([{ op: 'remove', path: '/overall' }]),
      { _tag: 'PatchConflict', reasons: [{ name: 'overall', reason: 'is required by thresholdType 2' }] },
    ],
    [
      'a patch of the node id',
      [setThreshold(overall)],
      patchThreshold([{ op: 'replace', path: '/nodeId', value: other }]),
      { _tag: 'PatchConflict', reasons: [{ name: 'nodeId', reason: 'cannot be changed' }] },
    ],
    [
      'a patch to more than the limits of its API',
      [setThreshold({ bandAlarms: [{}] })],
      patchThreshold([{ op: 'add', path: '/bandAlarms/-', value: {} }], { limits: { bands: 1 } }),
      { _tag: 'PatchConflict', reasons: [{ name: 'bandAlarms', reason: 'must have at most 1 items' }] },
    ],
    [
      'a patch to more than its own limits, whatever those of its API are',
      [],
      patchThreshold([{ op: 'add', path: '/bandAlarms', value: Array.from({ length: 101 }, () => ({})) }], {
        limits: { bands: 1_000 },
      }),
      { _tag: 'PatchConflict', reasons: [{ name: 'bandAlarms', reason: 'must have at most 100 items' }] },
    ],
    [
      'limits of an API that are none',
      [],
      patchThreshold([], { limits: { bands: -1, lines: 5 } }),
      invalid(['limits.lines', 'is not a known property'], ['limits.bands', 'must be an integer from 0']),
    ],
    [
      'another request under a known id',
      [setThreshold(overall, keyed)],
      setThreshold({}, keyed),
      {
        _tag: 'IdempotencyConflict',
        reasons: [{ name: 'Idempotency-Key', reason: 'was used for another request to this node' }],
      },
    ],
    [
      'an invalid threshold',
      [],
      setThreshold({ thresholdType: 1 }),
      invalid(['threshold.overall', 'is required by thresholdType 1']),
    ],
    [
      'a threshold of another node',
      [],
      setThreshold({ nodeId: other }),
      invalid(['threshold.nodeId', `must be ${nodeId}`]),
    ],
    [
      'a measurement of another node',
      [],
      recordMeasurement(dataPoint(1, { nodeId: other })),
      invalid(['measurement.nodeId', `must be ${nodeId}`]),
    ],
    [
      'an invalid measurement',
      [],
      recordMeasurement(answers([], { questionAnswers: null })),
      invalid(['measurement.questionAnswers', 'is required by QUESTION_ANSWERS']),
    ],
    [
      'an invalid patch',
      [],
      patchThreshold([{ op: '_get', path: '' }]),
      invalid(['operations.0.op', 'must be one of add, replace, test, move, copy, remove']),
    ],
    ['an unknown status', [], setExternalAlarm({ status: 5 }), invalid(['status', 'must be one of 0, 1, 2, 3, 4'])],
    [
      'an alarm set by nobody known',
      [],
      setExternalAlarm({ status: 4, setBy: 'me' }),
      invalid(['setBy', 'must be a UUID']),
    ],
    ['a command of nobody', [], ['recalculate', {}], invalid(['userId', 'is required'])],
    ['a user without a name', [], recalculate({ userId: '' }), noUser],
    ['a user with a line break', [], recalculate({ userId: 'a\nb' }), noUser],
    ['a user of half a character', [], recalculate({ userId: '\ud800' }), noUser],
    ['a user of 257 characters', [], recalculate({ userId: 'x'.repeat(257) }), noUser],
    ['a user who is no text', [], recalculate({ userId: 7 }), noUser],
    [
      'an empty request id',
      [],
      recalculate({ idempotencyKey: '' }),
      invalid(['idempotencyKey', 'must be text of 1 to 128 characters']),
    ],
    [
      'a request id of 129 characters',
      [],
      recalculate({ idempotencyKey: 'x'.repeat(129) }),
      invalid(['idempotencyKey', 'must be text of 1 to 128 characters']),
    ],
    ['a revision that is no integer', [], setThreshold({}, { ifMatch: 1.5 }), invalid(['ifMatch', noRevision])],
    ['a negative revision', [], setThreshold({}, { ifMatch: [-1] }), invalid(['ifMatch.0', noRevision])],
    ['a revision as text', [], setThreshold({}, { ifMatch: '1' }), invalid(['ifMatch', noRevision])],
    [
      '17 revisions',
      [],
      setThreshold({}, { ifMatch: Array.from({ length: 17 }, () => 0) }),
      invalid(['ifMatch', 'must have at most 16 items']),
    ],
    [
      'an unknown reading',
      [],
      setThreshold({}, { reading: 'loose' }),
      invalid(['reading', 'must be one of literal, alert-band']),
    ],
    ['an unknown property', [], recalculate({ force: true }), invalid(['force', 'is not a known property'])],
    ['no payload', [], ['recalculate', JSON.parse('null')], invalid(['', 'must be an object'])],
    [
      'every fault at once',
      [],
      setExternalAlarm({ status: 'x', setBy: 1 }, { userId: null, surplus: 1 }),
      invalid(
        ['surplus', 'is not a known property'],
        ['userId', 'must be text of 1 to 256 printable characters'],
        ['status', 'must be one of 0, 1, 2, 3, 4'],
        ['setBy', 'must be a UUID'],
      ),
    ],
  ])('%s', (_name, given, when, then) => {
    expect(send(nodeAfter(given), when, later)).toEqual(E.left(then));
  });

  test('a command of an unknown name', () => {
    const then = invalid([
      'name',
      'must be one of setThreshold, patchThreshold, recordMeasurement, recalculate, setExternalAlarm, republish',
    ]);
    for (const name of [undefined, 7, 'applyCommands', 'constructor', '']) {
      expect(applyCommand(nodeAfter([]), name, { userId }, later)).toEqual(E.left(then));
    }
  });
});

describe('there is nothing to do', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent]>([
    ['for a recalculation of a node that holds no part', [], recalculate()],
    [
      'for a patch that changes nothing',
      [setThreshold(overall)],
      patchThreshold([{ op: 'replace', path: '/overall/innerHigh', value: 10 }]),
    ],
    [
      'for a patch that leaves a threshold as it is, though the limits of its API are lower',
      [setThreshold({ bandAlarms: [{}, {}] })],
      patchThreshold([{ op: 'test', path: '/bandAlarms/1', value: {} }], { limits: { bands: 1 } }),
    ],
    [
      'for a patch of tests only',
      [setThreshold(overall)],
      patchThreshold([{ op: 'test', path: '/thresholdType', value: 2 }]),
    ],
    ['for an empty patch', [], patchThreshold([])],
    [
      'for a patch that changes nothing under another reading',
      [setThreshold(overall)],
      patchThreshold([], { reading: 'alert-band' }),
    ],
    ['for the measurement last applied, again', [recordMeasurement(dataPoint(1))], recordMeasurement(dataPoint(1))],
    ['for it, when it names the node', [recordMeasurement(dataPoint(1))], recordMeasurement(dataPoint(1, { nodeId }))],
    [
      'for it, after one of another content type',
      [recordMeasurement(dataPoint(1)), recordMeasurement(answers([], { measurementId: anId(1) }))],
      recordMeasurement(dataPoint(1)),
    ],
    [
      'for it, after a new threshold',
      [recordMeasurement(dataPoint(1)), setThreshold(overall)],
      recordMeasurement(dataPoint(1)),
    ],
    [
      'for it, with its properties in another order',
      [recordMeasurement(dataPoint(1, { tags: { a: 1, b: 2 } }))],
      recordMeasurement(dataPoint(1, { tags: { b: 2, a: 1 } })),
    ],
    ['to publish again of a node that was never touched', [], republish()],
    ['for a request that was carried out', [setThreshold(overall, keyed)], setThreshold(overall, keyed)],
    [
      'for it, after others',
      [setThreshold(overall, keyed), setThreshold({}, { idempotencyKey: 'b' })],
      setThreshold(overall, keyed),
    ],
    [
      'for it, though its revision is past',
      [setThreshold(overall, { ...keyed, ifMatch: 0 })],
      setThreshold(overall, { ...keyed, ifMatch: 0 }),
    ],
  ])('%s', (_name, given, when) => {
    expect(send(nodeAfter(given), when, later)).toMatchObject(E.left({ _tag: 'Unchanged' }));
  });
});

describe('a node takes', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent]>([
    ['the same threshold again', [setThreshold(overall)], setThreshold(overall)],
    ['the same external alarm again', [setExternalAlarm({ status: 3 })], setExternalAlarm({ status: 3 })],
    ['the same measurement id with other content', [recordMeasurement(dataPoint(1))], recordMeasurement(dataPoint(2))],
    [
      'the same content under another id',
      [recordMeasurement(dataPoint(1))],
      recordMeasurement(dataPoint(1, { measurementId: anId(9) })),
    ],
    [
      'the measurement before the last, again',
      [recordMeasurement(dataPoint(1)), recordMeasurement(dataPoint(2))],
      recordMeasurement(dataPoint(1)),
    ],
    ['a threshold at its revision', [setThreshold(overall)], setThreshold({}, { ifMatch: 1 })],
    ['a threshold at one of some revisions', [setThreshold(overall)], setThreshold({}, { ifMatch: [0, 1] })],
    ['a patch at its revision', [setThreshold(overall)], patchThreshold(raise, { ifMatch: 1 })],
    [
      'a patch to as much as the limits of its API allow',
      [],
      patchThreshold([{ op: 'add', path: '/bandAlarms', value: [{}] }], { limits: { bands: 1 } }),
    ],
    ['a first threshold at revision 0', [], setThreshold({}, { ifMatch: 0 })],
    ['a threshold at none of some revisions', [setThreshold(overall)], setThreshold({}, { ifNoneMatch: [0, 2] })],
    ['a threshold that names the node in capitals', [], setThreshold({ nodeId: nodeId.toUpperCase() })],
    ['a user of 256 characters', [], setExternalAlarm({ status: 2 }, { userId: '名'.repeat(256) })],
  ])('%s', (_name, given, when) => {
    const before = nodeAfter(given);
    expect(accepted(send(before, when, later)).node).not.toEqual(before);
  });

  test('a threshold, and its revision rises by one each time', () => {
    const node = nodeAfter([setThreshold(overall), setThreshold({}), setThreshold(inspection)]);
    expect(node.state.revision).toBe(3);
    expect(nodeAfter([patchThreshold([{ op: 'add', path: '/fullScale', value: 1 }])], node).state.revision).toBe(4);
  });

  test('who set the threshold, and when', () => {
    const { state } = nodeAfter([setThreshold(overall), setExternalAlarm({ status: 2 }, { userId: 'someone else' })]);
    expect([state.setBy, state.setAt]).toEqual([userId, START]);
  });
});
