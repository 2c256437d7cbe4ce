import { describe, expect, test } from 'vitest';
import { isFirstOfLife } from '../../../../../workflows/domain/node/event-id';
import { afterPublication } from '../../../../../workflows/domain/node/publication';
import { newNode, type Node } from '../../../../../workflows/domain/node/state';
import { isUlid, nextUlid } from '../../../../../workflows/domain/ulid';
import { setExternalAlarm, setThreshold } from '../../../../support/commands';
import { overall } from '../../../../support/measurements';
import { accepted, nodeAfter, nodeId, send, START } from '../../../../support/scenario';

const idsOf = ({ outbox }: Node): ReadonlyArray<string> => outbox.waiting.map(({ sequenceId }) => sequenceId);
/** The id of an event that was made at `now`. */
const idAt = (now: number): string => nextUlid('', now, [0.9, 0.9]);

/** A node that was never published, and the same after its first events were. */
const node = nodeAfter([setThreshold(overall), setExternalAlarm({ status: 3 })]);
const [first = '', second = '', third = ''] = idsOf(node);
const known = accepted(send(afterPublication(node, second), setExternalAlarm({ status: 2 }), START + 10_000)).node;

test('what waits up to the newest event of the stream is dropped, and the rest waits on', () => {
  expect(idsOf(afterPublication(node, second))).toEqual([third]);
  expect(afterPublication(node, third)).toEqual({ ...node, outbox: { waiting: [], bytes: 0 } });
});

describe("a node whose first events stand below an earlier life's", () => {
  test.each([
    ['all of them', idAt(START + 3_600_000)],
    ['some of them', idAt(START + 500)],
  ])('gives %s ids above, in order and with the same content', (_, foreign) => {
    const { state, outbox } = afterPublication(node, foreign);
    const ids = outbox.waiting.map(({ sequenceId }) => sequenceId);
    expect([foreign, ...ids]).toEqual([foreign, ...ids].sort());
    expect(new Set([foreign, ...ids]).size).toBe(4);
    expect(state).toEqual({ ...node.state, sequenceId: ids.at(-1) });
    expect(outbox.bytes).toBe(node.outbox.bytes);
    for (const [at, event] of outbox.waiting.entries()) {
      const before = node.outbox.waiting[at];
      expect(event).toEqual({ ...before, sequenceId: ids[at], data: { ...before?.data, sequenceId: ids[at] } });
      expect(isFirstOfLife(nodeId, event)).toBe(false);
    }
  });
});

describe('a node whose events the stream knows, and newer ones too, since Temporal was restored to an earlier point,', () => {
  const lost = idAt(START + 7_200_000);
  test('publishes none of them twice', () => expect(idsOf(afterPublication(known, lost))).toEqual([]));
  test('gives its next events ids above', () => {
    const after = accepted(send(afterPublication(known, lost), setExternalAlarm({ status: 4 }), START + 11_000)).node;
    expect(idsOf(after)[0]! > lost).toBe(true);
  });
});

test.each(['', 'z', '~'.repeat(26), first.toLowerCase(), `${first}0`, '8'.padEnd(26, '0')])(
  'an id that is none, %j, changes no id',
  (id) => {
    expect(isUlid(id)).toBe(false);
    const { state, outbox } = afterPublication(node, id);
    expect(state).toEqual(node.state);
    expect(node.outbox.waiting).toEqual(expect.arrayContaining([...outbox.waiting]));
  },
);

test('a node without events only takes note', () => {
  const foreign = idAt(START);
  expect(afterPublication(newNode(nodeId), foreign).state.sequenceId).toBe(foreign);
});
