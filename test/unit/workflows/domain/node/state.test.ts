import * as E from 'fp-ts/Either';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  continueAsNewArgument,
  decodeArgument,
  mayBeCarried,
  newNode,
  signalsIn,
} from '../../../../../workflows/domain/node/state';
import { recalculate, recordMeasurement } from '../../../../support/commands';
import { dataPoint } from '../../../../support/measurements';
import { anId, nodeAfter, nodeId, send, START } from '../../../../support/scenario';
import { rightOf } from '../../../../support/either';

/** What a node of the first release carried on, with everything in it that a node can hold. It must decode in every release to come. */
const fixture = (): unknown => JSON.parse(readFileSync(join(__dirname, 'fixtures', 'node-v1.json'), 'utf8'));

const decodedFixture = () => rightOf(decodeArgument(nodeId, fixture()));

describe('a node that an earlier release carried on', () => {
  test('is decoded whole', () => {
    expect(JSON.parse(JSON.stringify(continueAsNewArgument(decodedFixture())))).toStrictEqual(fixture());
  });

  test('still knows its keyed writes and its last measurements', () => {
    const unchanged = E.left({ _tag: 'Unchanged', revision: 2 });
    const point = dataPoint(15, {
      rateOfChange: 0.5,
      createdAt: '2026-01-31T10:00:00.000+01:00',
      tags: { shift: 'early', readings: [1, null] },
    });
    expect(send(decodedFixture(), recordMeasurement(point, { idempotencyKey: 'request-2' }), START)).toEqual(unchanged);
    expect(send(decodedFixture(), recordMeasurement(point), START)).toEqual(unchanged);
    expect(send(decodedFixture(), recalculate({ idempotencyKey: 'request-1' }), START)).toMatchObject(
      E.left({ _tag: 'IdempotencyConflict' }),
    );
  });
});

test.each<[name: string, argument: unknown]>([
  ['without an argument', undefined],
  ['with an empty one', {}],
])('a node that is started %s is empty', (_name, argument) => {
  expect(decodeArgument(nodeId, argument)).toEqual(E.right(newNode(nodeId)));
});

const deep: unknown = JSON.parse('['.repeat(99) + ']'.repeat(99));

describe('signals that wait', () => {
  const signals = [
    { name: 'recalculate', payload: { userId: 'a' } },
    { name: 'republish', payload: 'anything' },
    { name: 'republish' },
  ] as const;
  test('are carried on beside the node', () => {
    const argument: unknown = JSON.parse(JSON.stringify(continueAsNewArgument(newNode(nodeId), signals)));
    expect(signalsIn(argument)).toEqual(signals);
    expect(decodeArgument(nodeId, argument)).toEqual(E.right(newNode(nodeId)));
    expect(signalsIn(continueAsNewArgument(newNode(nodeId)))).toEqual([]);
    expect(signalsIn(undefined)).toEqual([]);
  });
  test('may hold anything that a run can carry on', () => {
    expect([undefined, null, 'text', { a: [1] }, deep].map(mayBeCarried)).toEqual([true, true, true, true, false]);
  });
});

const { state: untouched } = continueAsNewArgument(newNode(nodeId)) as { readonly state: object };
const carried = (state: Readonly<Record<string, unknown>>, outbox: unknown = { waiting: [], bytes: 0 }): unknown => ({
  state: { ...untouched, ...state },
  outbox,
});
const withEvent = (more: object): unknown => {
  const event = { type: 'PointAlarmStatusEvent', sequenceId: '', timestamp: 0, userId: 'a', data: {}, ...more };
  return carried({}, { waiting: [event], bytes: 0 });
};
const { DATA_POINT } = nodeAfter([recordMeasurement(dataPoint(1))]).state.latest;
const rateOfChange = { measurementId: nodeId, createdAt: 'soon', value: 1 };
const group = { sender: 'a', sequence: 1, revisions: ['1'] };

test.each<[name: string, given: unknown, place: string]>([
  ['text', 'text', ''],
  ['an outbox without a state', { outbox: { waiting: [], bytes: 0 } }, 'state'],
  ['a state without an outbox', { state: untouched }, 'outbox'],
  ['the state of another node', carried({ nodeId: anId(1) }), 'state.nodeId'],
  ['a keyed write that is none', carried({ writes: ['text'] }), 'state.writes.0'],
  ['a keyed write of no text', carried({ writes: [1] }), 'state.writes.0'],
  ['a revision of a group that is none', carried({ groups: [group] }), 'state.groups.0.revisions.0'],
  ['the state of a later release', carried({ schemaVersion: 2 }), 'state.schemaVersion'],
  ['a property of a later release', carried({ later: 1 }), 'state.later'],
  ['a threshold that is none', carried({ threshold: { thresholdType: 1 } }), 'state.threshold.overall'],
  ['a measurement out of place', carried({ latest: { SPECTRUM: DATA_POINT } }), 'state.latest.SPECTRUM.contentType'],
  ['a rate of no time', carried({ latest: { rateOfChange } }), 'state.latest.rateOfChange.createdAt'],
  ['an unknown status', carried({ parts: { overall: { status: 5 } } }), 'state.parts.overall.status'],
  ['an event of an unknown type', withEvent({ type: 'Other' }), 'outbox.waiting.0.type'],
  ['a signal of an unknown name', { signals: [{ name: 'later' }] }, 'signals.0.name'],
  ['an event without content', withEvent({ data: [] }), 'outbox.waiting.0.data'],
  ['an event of text', withEvent({ data: 'text' }), 'outbox.waiting.0.data'],
  ['an event that nests without end', withEvent({ data: { a: deep } }), 'outbox.waiting.0.data'],
])('an argument is refused, so that the run waits for a release that can read it: %s', (_name, given, name) => {
  const decoded = decodeArgument(nodeId, given);
  expect(E.isLeft(decoded) ? decoded.left.map((reason) => reason.name) : []).toContain(name);
});
