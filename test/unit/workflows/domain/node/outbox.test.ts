import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { DOCUMENT_BYTES, OUTBOX_BYTES, OUTBOX_EVENTS } from '../../../../../workflows/domain/limits';
import { newNode, type Node } from '../../../../../workflows/domain/node/state';
import { enqueuedAfter, hasRoom } from '../../../../../workflows/domain/node/outbox';
import {
  patchThreshold,
  recalculate,
  recordMeasurement,
  setExternalAlarm,
  setThreshold,
} from '../../../../support/commands';
import { dataPoint, thresholdOfBytes } from '../../../../support/measurements';
import { accepted, nodeAfter, nodeId, send, sendGroup, START, userId } from '../../../../support/scenario';

const alarms = (count: number): Node => nodeAfter(Array.from({ length: count }, () => setExternalAlarm({ status: 2 })));
const later = START + 3_600_000;

// Its bytes, and what is dropped from it, are laws of `node.prop.test.ts`.
test.each<[name: string, confirmed: number]>([
  ['none', -1],
  ['some', 1],
  ['all', 3],
])('the outbox tells what a group enqueued, when it confirmed %s of the events before', (_name, confirmed) => {
  const before = alarms(4);
  const commands = [3, 4].map((status) => ({ name: 'setExternalAlarm', userId, status }));
  const published = before.outbox.waiting[confirmed]?.sequenceId;
  const { outbox } = sendGroup(before, { commands, relay: 'api', published }, later).node;
  expect(outbox.waiting).toHaveLength(3 - confirmed + 2);
  expect(enqueuedAfter(outbox, before.state.sequenceId)).toEqual(outbox.waiting.slice(-2));
});

describe('a full outbox', () => {
  const full = alarms(OUTBOX_EVENTS);

  test('holds 1,000 events and refuses the next, telling how many wait', () => {
    expect(full.outbox.waiting).toHaveLength(1_000);
    expect(send(full, setExternalAlarm({ status: 4 }), later)).toEqual(E.left({ _tag: 'OutboxFull', waiting: 1_000 }));
  });

  test('still answers what publishes nothing: repeats, conflicts, what is not valid', () => {
    expect(send(full, patchThreshold([]), later)).toMatchObject(E.left({ _tag: 'Unchanged' }));
    expect(E.isRight(send(full, patchThreshold([], { idempotencyKey: 'a' }), later))).toBe(true);
    expect(send(full, setThreshold({}, { ifMatch: 7 }), later)).toMatchObject(E.left({ _tag: 'PreconditionFailed' }));
    expect(send(full, recalculate({ userId: '' }), later)).toMatchObject(E.left({ _tag: 'InvalidCommand' }));
  });

  test('beyond the bounds, as an earlier release may have filled it, still takes what publishes nothing', () => {
    const beyond = { ...full, outbox: { ...full.outbox, bytes: OUTBOX_BYTES + 1 } };
    expect(E.isRight(send(beyond, patchThreshold([], { idempotencyKey: 'a' }), later))).toBe(true);
    expect(send(beyond, setThreshold({}), later)).toMatchObject(E.left({ _tag: 'OutboxFull' }));
  });

  test('of 512 KiB refuses, however few events wait', () => {
    const large = nodeAfter([setThreshold(thresholdOfBytes(DOCUMENT_BYTES)), recalculate()]);
    expect(large.outbox.waiting).toHaveLength(3);
    expect(send(large, recalculate(), later)).toEqual(E.left({ _tag: 'OutboxFull', waiting: 3 }));
    expect(send(large, setExternalAlarm({ status: 4 }), later)).toEqual(E.left({ _tag: 'OutboxFull', waiting: 3 }));
  });

  test('never refuses what one command brings to an empty one', () => {
    const origin = { id: '\u0001'.repeat(1_024), type: '\u0001'.repeat(1_024), provider: '\u0001'.repeat(1_024) };
    const user = { userId: '名'.repeat(256) };
    const set = setThreshold({ ...thresholdOfBytes(DOCUMENT_BYTES), origin }, user);
    const { outbox } = accepted(send(newNode(nodeId), set, later)).node;
    expect(outbox.waiting).toHaveLength(2);
    expect(outbox.bytes).toBeGreaterThan(2 * DOCUMENT_BYTES);
    expect(hasRoom(outbox)).toBe(true);
  });

  test('lets a measurement in that rates no part', () => {
    const bare = { ...full, state: { ...full.state, parts: {} } };
    expect(E.isRight(send(bare, recordMeasurement(dataPoint(1)), later))).toBe(true);
  });
});
