import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { HANDED_OVER_BYTES, HANDED_OVER_EVENTS } from '../../../workflows/domain/limits';
import { applyGroup, type AppliedGroup } from '../../../workflows/domain/node/hand-over';
import type { Node } from '../../../workflows/domain/node/node';
import {
  middling,
  nodeAfter,
  overall,
  setExternalAlarm,
  setThreshold,
  START,
  waiting,
  type Sent,
} from '../../scenario';

const entry = ([name, payload]: Sent): unknown => ({ name, ...payload });
const external = (status: number): Sent => setExternalAlarm({ status });
const apply = (node: Node, payload: unknown): AppliedGroup => {
  const applied = applyGroup(node, payload, START, middling);
  if (E.isLeft(applied)) throw new Error(JSON.stringify(applied.left));
  return applied.right;
};
const byCaller = (more: object = {}, ...commands: ReadonlyArray<Sent>) => ({
  commands: commands.map(entry),
  publishBy: 'caller',
  ...more,
});
const ids = (node: Node): ReadonlyArray<string> => node.outbox.waiting.map(({ sequenceId }) => sequenceId);

describe('a group whose events the caller publishes', () => {
  test('gets all that is unconfirmed, oldest first', () => {
    const node = nodeAfter([setThreshold(overall)]);
    const { node: after, answer } = apply(node, byCaller({}, external(3)));
    expect(answer.unconfirmed).toEqual(after.outbox.waiting);
    expect(ids(after)).toHaveLength(waiting(node).length + 1);
    expect(ids(after)).toEqual([...ids(after)].sort());
  });

  test('gets it too when nothing is applied: the group may be a repeat of one whose answer was lost', () => {
    const node = nodeAfter([setThreshold(overall)]);
    const { events, answer } = apply(node, byCaller());
    expect(events).toEqual([]);
    expect(answer.unconfirmed).toEqual(node.outbox.waiting);
  });

  test('confirms what it saw in the stream, and all before it', () => {
    const node = nodeAfter([setThreshold(overall), external(3)]);
    const [first, second, third] = ids(node);
    expect(ids(apply(node, byCaller({ inStream: second })).node)).toEqual([third]);
    expect(ids(apply(node, byCaller({ inStream: first })).node)).toEqual([second, third]);
    expect(ids(apply(node, byCaller({ inStream: third })).node)).toEqual([]);
  });

  test.each<[name: string, inStream: unknown]>([
    ['an id that this node never gave', 'ZZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    ['no id', ''],
    ['no text', 7],
    ['nothing', undefined],
  ])('confirms nothing by %s', (_name, inStream) => {
    const node = nodeAfter([setThreshold(overall)]);
    expect(apply(node, byCaller({ inStream })).node).toBe(node);
  });

  test('is published by the node where too many events are unconfirmed', () => {
    let node = nodeAfter([]);
    for (let event = 0; event < HANDED_OVER_EVENTS - 1; event += 1) node = nodeAfterGroup(node, external(event % 4));
    const last = apply(node, byCaller({}, external(4)));
    expect(last.answer.unconfirmed).toHaveLength(HANDED_OVER_EVENTS);
    expect(apply(last.node, byCaller({}, external(3))).answer).toEqual({ outcomes: [expect.anything()] });
    expect(apply(last.node, byCaller({ inStream: ids(last.node)[0] }, external(3))).answer.unconfirmed).toBeDefined();
  });

  test('is published by the node where too many bytes are unconfirmed', () => {
    const choices = Array.from({ length: 100 }, (_, at) => ({ answer: `${at}${'x'.repeat(1_000)}`, status: 2 }));
    const large = setThreshold({ thresholdType: 3, inspection: { choices } });
    const first = apply(nodeAfter([]), byCaller({}, large));
    expect(first.answer.unconfirmed).toBeDefined();
    const second = apply(first.node, byCaller({}, large));
    expect(second.node.outbox.bytes).toBeGreaterThan(HANDED_OVER_BYTES);
    expect(apply(second.node, byCaller({}, external(3))).answer.unconfirmed).toBeUndefined();
  });
});

const nodeAfterGroup = (node: Node, ...commands: ReadonlyArray<Sent>): Node =>
  apply(node, byCaller({}, ...commands)).node;

test.each<[name: string, payload: object]>([
  ['one that does not say', {}],
  ['one that says the node', { publishBy: 'node' }],
  ['one that says nothing known', { publishBy: 'me' }],
])('the node publishes the events of %s', (_name, more) => {
  const { answer, node } = apply(nodeAfter([]), { commands: [entry(external(3))], ...more });
  expect(answer.unconfirmed).toBeUndefined();
  expect(ids(node)).toHaveLength(1);
});

test.each<[name: string, payload: unknown]>([
  ['nothing', undefined],
  ['commands that are none', { commands: 1 }],
])('%s is refused', (_name, payload) => {
  expect(applyGroup(nodeAfter([]), payload, START, middling)).toMatchObject(E.left({ _tag: 'InvalidCommand' }));
});
