import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import {
  GROUP_COMMANDS,
  KNOWN_SENDERS,
  OUTBOX_BYTES,
  RELAYED_BYTES,
  RELAYED_EVENTS,
} from '../../../../../workflows/domain/limits';
import { applyGroup } from '../../../../../workflows/domain/node/apply-group';
import type { Node } from '../../../../../workflows/domain/node/state';
import { emptyOutbox } from '../../../../../workflows/domain/node/outbox';
import {
  nodeAfter,
  overall,
  sendGroup,
  setExternalAlarm,
  setThreshold,
  START,
  waiting,
  type Sent,
} from '../../../../support/scenario';

const entry = ([name, payload]: Sent): unknown => ({ name, ...payload });
const external = (status: number): Sent => setExternalAlarm({ status });
const apply = sendGroup;
const byCaller = (more: object = {}, ...commands: ReadonlyArray<Sent>) => ({
  commands: commands.map(entry),
  relay: 'api',
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
    expect(ids(apply(node, byCaller({ published: second })).node)).toEqual([third]);
    expect(ids(apply(node, byCaller({ published: first })).node)).toEqual([second, third]);
    expect(ids(apply(node, byCaller({ published: third })).node)).toEqual([]);
  });

  test.each<[name: string, published: unknown]>([
    ['an id that this node never gave', 'ZZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    ['no id', ''],
    ['no text', 7],
    ['nothing', undefined],
  ])('confirms nothing by %s', (_name, published) => {
    const node = nodeAfter([setThreshold(overall)]);
    expect(apply(node, byCaller({ published })).node).toBe(node);
  });

  test('is published by the node where too many events are unconfirmed', () => {
    let node = nodeAfter([]);
    for (let event = 0; event < RELAYED_EVENTS - 1; event += 1) node = nodeAfterGroup(node, external(event % 4));
    const last = apply(node, byCaller({}, external(4)));
    expect(last.answer.unconfirmed).toHaveLength(RELAYED_EVENTS);
    expect(apply(last.node, byCaller({}, external(3))).answer).toEqual({ outcomes: [expect.anything()] });
    expect(apply(last.node, byCaller({ published: ids(last.node)[0] }, external(3))).answer.unconfirmed).toBeDefined();
  });

  test('is published by the node where too many bytes are unconfirmed', () => {
    const choices = Array.from({ length: 100 }, (_, at) => ({ answer: `${at}${'x'.repeat(1_000)}`, status: 2 }));
    const large = setThreshold({ thresholdType: 3, inspection: { choices } });
    const first = apply(nodeAfter([]), byCaller({}, large));
    expect(first.answer.unconfirmed).toBeDefined();
    const second = apply(first.node, byCaller({}, large));
    expect(second.node.outbox.bytes).toBeGreaterThan(RELAYED_BYTES);
    expect(apply(second.node, byCaller({}, external(3))).answer.unconfirmed).toBeUndefined();
  });
});

const nodeAfterGroup = (node: Node, ...commands: ReadonlyArray<Sent>): Node =>
  apply(node, byCaller({}, ...commands)).node;

test.each<[name: string, payload: object]>([
  ['one that does not say', {}],
  ['one that says the node', { relay: 'node' }],
  ['one that says nothing known', { relay: 'me' }],
])('the node publishes the events of %s', (_name, more) => {
  const { answer, node } = apply(nodeAfter([]), { commands: [entry(external(3))], ...more });
  expect(answer.unconfirmed).toBeUndefined();
  expect(ids(node)).toHaveLength(1);
});

const noCommands = ['commands', 'must be an array of at most 64 commands'] as const;
const noSender = ['sentBy', 'must have a sender and a sequence'] as const;
test.each<[name: string, payload: unknown, reason: readonly [string, string]]>([
  ['nothing', undefined, noCommands],
  ['null', null, noCommands],
  ['an array', [], noCommands],
  ['commands that are none', { commands: 1 }, noCommands],
  ['65 commands', { commands: Array.from({ length: GROUP_COMMANDS + 1 }, () => ({})) }, noCommands],
  ['a sender without a name', { commands: [], sentBy: { sender: '', sequence: 1 } }, noSender],
  ['a sender without a number', { commands: [], sentBy: { sender: 'a' } }, noSender],
])('%s is refused', (_name, payload, [name, reason]) => {
  const refused = E.left({ _tag: 'InvalidCommand', reasons: [{ name, reason }] });
  expect(applyGroup(nodeAfter([]), payload, START)).toEqual(refused);
});

test('up to 64 commands are a group, of any kind', () => {
  const commands = Array.from({ length: GROUP_COMMANDS }, () => null);
  expect(apply(nodeAfter([]), { commands }).answer.outcomes).toHaveLength(GROUP_COMMANDS);
});

describe('a group of an API process', () => {
  const group = (sequence: number, ...commands: ReadonlyArray<Sent>) => ({
    commands: commands.map(entry),
    sentBy: { sender: 'one', sequence },
  });
  /** A group whose earlier try may still be on its way. */
  const tried = (sequence: number, ...commands: ReadonlyArray<Sent>) => ({
    ...group(sequence, ...commands),
    mayHaveReached: true,
  });
  const set = setThreshold(overall);

  test('that comes again is answered as before, and changes nothing', () => {
    const once = apply(nodeAfter([]), group(1, set, external(7), external(3)));
    const again = apply(once.node, group(1, set, external(7), external(3)));
    expect(again.node).toBe(once.node);
    expect(again.events).toEqual([]);
    expect(again.answer).toEqual({ ...once.answer, isRepeat: true });
  });

  test('that comes again is answered so, whatever others did meanwhile', () => {
    const { node } = apply(nodeAfter([]), group(1, set));
    const between = apply(node, { commands: [entry(setThreshold({}))], sentBy: { sender: 'other', sequence: 9 } });
    expect(apply(between.node, group(1, set)).answer.outcomes).toEqual([{ _tag: 'Applied', revision: 1 }]);
    expect(apply(between.node, group(1, set)).node).toBe(between.node);
  });

  test('that was refused whole is decided anew', () => {
    const { node } = apply(nodeAfter([]), group(1, setThreshold({}, { ifMatch: 1 })));
    const after = apply(node, { commands: [entry(set)] }).node;
    expect(apply(after, group(1, setThreshold({}, { ifMatch: 1 }))).answer.outcomes).toMatchObject([{ revision: 2 }]);
  });

  test('of which something was refused is remembered with what came of that in the end', () => {
    const sent = [set, setThreshold({}, { ifMatch: 2 })];
    const once = apply(nodeAfter([]), group(1, ...sent));
    expect(once.answer.outcomes).toMatchObject([{ revision: 1 }, { _tag: 'Refused' }]);
    const meanwhile = apply(once.node, { commands: [entry(set)] }).node;
    const again = apply(meanwhile, tried(1, ...sent));
    expect(again.answer.outcomes).toMatchObject([{ revision: 1 }, { revision: 3 }]);
    expect(apply(again.node, tried(1, ...sent)).node).toBe(again.node);
  });

  describe('that was tried before, and refused when it was tried again', () => {
    const conditional = setThreshold({}, { ifMatch: 1 });
    const refused = apply(nodeAfter([]), tried(1, conditional));
    const fits = apply(refused.node, { commands: [entry(set)] }).node;

    test('is remembered, though it changed nothing', () => {
      expect(refused.events).toMatchObject([{ _tag: 'GroupTaken', group: { sequence: 1, revisions: [null] } }]);
      expect(refused.answer).toEqual(apply(nodeAfter([]), group(1, conditional)).answer);
    });
    test('changes nothing when the earlier try comes late', () => {
      const late = apply(fits, group(1, conditional));
      expect(late.node).toBe(fits);
      expect(late.answer.outcomes).toMatchObject([{ _tag: 'Refused', refusal: { _tag: 'OutboxFull' } }]);
    });
    test('is decided anew while its sender tries it', () => {
      expect(apply(fits, tried(1, conditional)).answer.outcomes).toMatchObject([{ revision: 2 }]);
    });
    test('changes nothing of what was put off, either', () => {
      const node = nodeAfter([set]);
      const putOff = apply({ ...node, outbox: { ...node.outbox, bytes: OUTBOX_BYTES } }, tried(1, external(3)));
      expect(putOff.answer).toMatchObject({ outcomes: [], postponed: { _tag: 'OutboxFull' } });
      const late = apply({ ...putOff.node, outbox: emptyOutbox }, group(1, external(3)));
      expect(late.events).toEqual([]);
      expect(late.answer).toMatchObject({ outcomes: [], postponed: { _tag: 'OutboxFull' } });
    });
  });

  test('that the process has gone on from is refused: it may have been carried out', () => {
    const { node } = apply(nodeAfter([]), group(2, set));
    expect(() => apply(node, group(1, set))).toThrow('sentBy.sequence');
  });

  test('that says so has the node keep its status in the search attribute, with its next change', () => {
    const says = { keepsStatusAttribute: true };
    const refused = apply(nodeAfter([]), { ...group(1, external(7)), ...says });
    expect(refused.events).toEqual([]);
    const once = apply(nodeAfter([]), { ...group(1, set), ...says });
    expect(once.node.state.keepsStatusAttribute).toBe(true);
    const again = apply(once.node, { ...group(2, external(3)), ...says });
    expect(again.events.map(({ _tag }) => _tag)).toEqual(['StatusUpdated', 'GroupTaken']);
    expect(again.node.state.keepsStatusAttribute).toBe(true);
  });

  test('is known among the last of 64 processes', () => {
    const by = (sender: number) => ({ commands: [entry(external(3))], sentBy: { sender: `${sender}`, sequence: 1 } });
    let node = nodeAfter([]);
    for (let sender = 0; sender <= KNOWN_SENDERS; sender += 1) node = apply(node, by(sender)).node;
    expect(node.state.groups).toHaveLength(KNOWN_SENDERS);
    expect(apply(node, by(1)).events).toEqual([]);
    expect(apply(node, by(0)).events).not.toEqual([]);
  });
});
