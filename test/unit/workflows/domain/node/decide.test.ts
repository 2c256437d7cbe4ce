import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { applyCommand } from '../../../../../workflows/domain/node/apply-group';
import { add, check, remove, replace } from '../../../../support/patch-operations';
import {
  patchThreshold,
  recalculate,
  recordMeasurement,
  republish,
  setExternalAlarm,
  setThreshold,
} from '../../../../support/commands';
import { answers, dataPoint, inspection, overall } from '../../../../support/measurements';
import { accepted, nodeAfter, nodeId, send, START, userId, type Sent } from '../../../../support/scenario';

const later = START + 60_000;
const other = '99999999-9999-4999-8999-999999999999';
const raise = [replace('/overall/innerHigh', 12)];
const addBands = (count: number) => [add('/bandAlarms', Array<object>(count).fill({}))];
const reasonsIn = (lines: ReadonlyArray<string>) =>
  lines.map((line) => ({ name: line.slice(0, line.indexOf(':')), reason: line.slice(line.indexOf(':') + 2) }));
const is = [setThreshold(overall)];

describe('a node refuses', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent, at: number]>([
    ['a threshold at another revision', is, setThreshold({}, { ifMatch: 0 }), 1],
    ['a patch at another revision', is, patchThreshold(raise, { ifMatch: [0, 2] }), 1],
    ['a first threshold at a revision', [], setThreshold({}, { ifMatch: [1] }), 0],
    ['any revision, where none is named', [], setThreshold({}, { ifMatch: [] }), 0],
    ['a threshold at a revision that it must not have', is, setThreshold({}, { ifNoneMatch: [0, 1] }), 1],
    ['a patch where none was ever set, which one must be', [], patchThreshold([], { ifNoneMatch: 0 }), 0],
    ['a revision that must be and must not be', is, setThreshold({}, { ifMatch: 1, ifNoneMatch: 1 }), 1],
  ])('%s', (_name, given, when, revision) => {
    expect(send(nodeAfter(given), when, later)).toEqual(E.left({ _tag: 'PreconditionFailed', revision }));
  });

  /** A patch that adds so many bands, through an API that takes so many. */
  const bands = (count: number, limit: number) => patchThreshold(addBands(count), { limits: { bands: limit } });
  test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent, then: string]>([
    ['that does not apply', [], patchThreshold(raise), '0.path: /overall/innerHigh does not exist'],
    ['to what is no threshold', is, patchThreshold([remove('/overall')]), 'overall: is required by thresholdType 2'],
    ['to more than the limits of its API', [], bands(2, 1), 'bandAlarms: must have at most 1 items'],
    ['to more than its own, whatever those are', [], bands(101, 1_000), 'bandAlarms: must have at most 100 items'],
  ])('a patch %s', (_name, given, when, then) => {
    const conflict = { _tag: 'PatchConflict', reasons: reasonsIn([then]) };
    expect(send(nodeAfter(given), when, later)).toEqual(E.left(conflict));
  });

  const noUser = 'userId: must be text of 1 to 256 printable characters';
  const noKey = 'idempotencyKey: must be text of 1 to 128 characters';
  const noStatus = 'status: must be one of 0, 1, 2, 3, 4';
  const unanswered = answers([], { questionAnswers: null });
  const noRevision = 'must be a revision: an integer from 0';
  const invalid: ReadonlyArray<readonly [when: Sent, ...then: ReadonlyArray<string>]> = [
    [patchThreshold([], { limits: { bands: -1 } }), 'limits.bands: must be an integer from 0'],
    [patchThreshold([], { limits: { lines: 5 } }), 'limits.lines: is not a known property'],
    [setThreshold({ thresholdType: 1 }), 'threshold.overall: is required by thresholdType 1'],
    [setThreshold({ nodeId: other }), `threshold.nodeId: must be ${nodeId}`],
    [recordMeasurement(dataPoint(1, { nodeId: other })), `measurement.nodeId: must be ${nodeId}`],
    [recordMeasurement(unanswered), 'measurement.questionAnswers: is required by QUESTION_ANSWERS'],
    [patchThreshold([{ op: '_get' }]), 'operations.0.op: must be one of add, replace, test, move, copy, remove'],
    [setExternalAlarm({ status: 5 }), noStatus],
    [setExternalAlarm({ status: 4, setBy: 'me' }), 'setBy: must be a UUID'],
    [['recalculate', {}], 'userId: is required'],
    ...['', 'a\nb', '\ud800', 'x'.repeat(257), 7].map((id) => [recalculate({ userId: id }), noUser] as const),
    ...['', 'x'.repeat(129)].map((idempotencyKey) => [recalculate({ idempotencyKey }), noKey] as const),
    [setThreshold({}, { ifMatch: 1.5 }), `ifMatch: ${noRevision}`],
    [setThreshold({}, { ifMatch: [-1] }), `ifMatch.0: ${noRevision}`],
    [setThreshold({}, { ifMatch: '1' }), `ifMatch: ${noRevision}`],
    [setThreshold({}, { ifMatch: Array.from({ length: 17 }, () => 0) }), 'ifMatch: must have at most 16 items'],
    [setThreshold({}, { reading: 'loose' }), 'reading: must be one of literal, alert-band'],
    [recalculate({ force: true }), 'force: is not a known property'],
    [['recalculate', JSON.parse('null')], ': must be an object'],
    [
      setExternalAlarm({ status: 'x', setBy: 1 }, { userId: null, surplus: 1 }),
      'surplus: is not a known property',
      noUser,
      noStatus,
      'setBy: must be a UUID',
    ],
  ];
  test.each(invalid.map(([when, ...then]) => ({ when, then })))('what is not valid: $then', ({ when, then }) => {
    expect(send(nodeAfter([]), when, later)).toEqual(E.left({ _tag: 'InvalidCommand', reasons: reasonsIn(then) }));
  });

  test('a command of an unknown name', () => {
    const then =
      'name: must be one of setThreshold, patchThreshold, recordMeasurement, recalculate, setExternalAlarm, republish';
    for (const name of [undefined, 7, 'applyCommands', 'constructor', '']) {
      const refusal = { _tag: 'InvalidCommand', reasons: reasonsIn([then]) };
      expect(applyCommand(nodeAfter([]), name, { userId }, later)).toEqual(E.left(refusal));
    }
  });
});

const [twoBands, tested] = [setThreshold({ bandAlarms: [{}, {}] }), [check('/bandAlarms/1', {})]];
const one = { limits: { bands: 1 } };
test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent]>([
  ['for a recalculation of a node that holds no part', [], recalculate()],
  ['for a patch that changes nothing, though its API takes less', [twoBands], patchThreshold(tested, one)],
  ['for an empty patch', [], patchThreshold([])],
  ['for a patch that changes nothing under another reading', is, patchThreshold([], { reading: 'alert-band' })],
  ['to publish again of a node that was never touched', [], republish()],
])('there is nothing to do %s', (_name, given, when) => {
  expect(send(nodeAfter(given), when, later)).toMatchObject(E.left({ _tag: 'Unchanged' }));
});

describe('a node takes', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent]>([
    ['the same threshold again', is, setThreshold(overall)],
    ['the same external alarm again', [setExternalAlarm({ status: 3 })], setExternalAlarm({ status: 3 })],
    ['a threshold at its revision', is, setThreshold({}, { ifMatch: 1 })],
    ['a threshold at one of some revisions', is, setThreshold({}, { ifMatch: [0, 1] })],
    ['a patch at its revision', is, patchThreshold(raise, { ifMatch: 1 })],
    ['a patch to as much as the limits of its API allow', [], patchThreshold(addBands(1), { limits: { bands: 1 } })],
    ['a first threshold at revision 0', [], setThreshold({}, { ifMatch: 0 })],
    ['a threshold at none of some revisions', is, setThreshold({}, { ifNoneMatch: [0, 2] })],
    ['a threshold that names the node in capitals', [], setThreshold({ nodeId: nodeId.toUpperCase() })],
    ['a user of 256 characters', [], setExternalAlarm({ status: 2 }, { userId: '名'.repeat(256) })],
  ])('%s', (_name, given, when) => {
    const { events } = accepted(send(nodeAfter(given), when, later));
    const [command] = when;
    expect(events.map(({ _tag }) => _tag)).toContain(command === 'setExternalAlarm' ? 'StatusUpdated' : 'ThresholdSet');
  });

  test('a threshold, and its revision rises by one each time', () => {
    const node = nodeAfter([setThreshold(overall), setThreshold({}), setThreshold(inspection)]);
    expect(node.state.revision).toBe(3);
    expect(nodeAfter([patchThreshold([add('/fullScale', 1)])], node).state.revision).toBe(4);
  });

  test('who set the threshold, and when', () => {
    const { state } = nodeAfter([setThreshold(overall), setExternalAlarm({ status: 2 }, { userId: 'someone else' })]);
    expect([state.setBy, state.setAt]).toEqual([userId, START]);
  });
});
