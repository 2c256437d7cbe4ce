import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import {
  COMMAND_VALUES,
  GROUP_COMMANDS,
  KNOWN_SENDERS,
  OUTBOX_BYTES,
  PATCHED_BYTES,
  RELAYED_BYTES,
  RELAYED_EVENTS,
} from '../../../../../workflows/domain/limits';
import { applyGroup } from '../../../../../workflows/domain/node/apply-group';
import { measurementsIn } from '../../../../../workflows/domain/node/evolve';
import { emptyOutbox } from '../../../../../workflows/domain/node/outbox';
import { newNode, type Node } from '../../../../../workflows/domain/node/state';
import { GROUP_WORK } from '../../../../../workflows/domain/node/work-estimate';
import { add, replace } from '../../../../support/patch-operations';
import {
  patchThreshold,
  recalculate,
  recordMeasurement,
  setExternalAlarm,
  setThreshold,
} from '../../../../support/commands';
import { dataPoint, overall, spectrum } from '../../../../support/measurements';
import { anId, nodeAfter, nodeId, sendGroup, waiting, START, type Sent } from '../../../../support/scenario';

const entry = ([name, payload]: Sent): unknown => ({ name, ...payload });
const external = (status: number): Sent => setExternalAlarm({ status });
const apply = sendGroup;
const applyAll = (node: Node, ...entries: ReadonlyArray<unknown>) => sendGroup(node, { commands: entries });
const byCaller = (more: object = {}, ...commands: ReadonlyArray<Sent>) => ({
  commands: commands.map(entry),
  relay: 'api',
  ...more,
});
const ids = (node: Node): ReadonlyArray<string> => node.outbox.waiting.map(({ sequenceId }) => sequenceId);
/** A threshold of about 100 KB. */
const large = setThreshold({
  thresholdType: 3,
  inspection: { choices: Array.from({ length: 100 }, (_, at) => ({ answer: `${at}${'x'.repeat(1_000)}`, status: 2 })) },
});

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

test('a command that throws spoils itself alone', () => {
  const { state, outbox } = nodeAfter([]);
  const broken = { state: { ...state, writes: undefined as never }, outbox }; // commands without a key look into no writes
  const { node, answer } = applyAll(broken, entry(external(3)), entry(recalculate(keyed)), entry(external(4)));
  expect(answer.outcomes).toMatchObject([
    { _tag: 'Applied' },
    { _tag: 'Refused', refusal: { _tag: 'Defect', reason: expect.stringMatching(/^TypeError/u) as string } },
    { _tag: 'Applied' },
  ]);
  expect(node.state.parts.external?.status).toBe(4);
});

test.each<[name: string, payload: unknown, most: string]>([
  ['long', Array.from({ length: COMMAND_VALUES }, () => 1), '100000 values'],
  ['deep', JSON.parse('['.repeat(COMMAND_VALUES) + ']'.repeat(COMMAND_VALUES)), '100000 values'],
  ['wide', Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`m${n}`, n])), '1000 members in an object'],
])('a command of too many values is refused at once, and those beside it go on: %s', (_name, given, most) => {
  const { answer } = apply(nodeAfter([]), { commands: [{ name: 'recalculate', given }, entry(external(3))] });
  const reasons = [{ name: '', reason: `must have at most ${most}` }];
  expect(answer.outcomes).toMatchObject([{ refusal: { _tag: 'InvalidCommand', reasons } }, { _tag: 'Applied' }]);
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
    expect(apply(nodeAfter([]), { ...group(1, external(7)), ...says }).events).toEqual([]);
    const once = apply(nodeAfter([]), { ...group(1, set), ...says });
    expect(once.node.state.keepsStatusAttribute).toBe(true);
    const again = apply(once.node, { ...group(2, external(3)), ...says });
    expect(again.events.map(({ _tag }) => _tag)).toEqual(['StatusUpdated', 'GroupTaken']);
    expect(again.node.state.keepsStatusAttribute).toBe(true);
    const unasked = apply(again.node, group(3, external(2)));
    expect(unasked.node.state.keepsStatusAttribute).toBe(true);
    const out = apply(unasked.node, { ...group(4, external(3)), keepsStatusAttribute: false });
    expect(out.node.state.keepsStatusAttribute).toBe(false);
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

/** `entries` as a group of which `known` is remembered, tried again. */
const repeated = (node: Node, revisions: ReadonlyArray<number | null>, entries: ReadonlyArray<unknown>) => {
  const sentBy = { sender: 'one', sequence: 1 };
  const state = { ...node.state, groups: [{ ...sentBy, revisions }] };
  return sendGroup({ ...node, state }, { commands: entries, sentBy, mayHaveReached: true });
};
const raise = patchThreshold([replace('/overall/innerHigh', 12)]);
const raised = { nodeId, ...overall, overall: { ...overall.overall, innerHigh: 12 } };
const keyed = { idempotencyKey: 'a' };
const applied = (revision: number) => ({ _tag: 'Applied', revision });
const same = (revision: number) => ({ _tag: 'Unchanged', revision });
const showing = (outcome: ReturnType<typeof applied>, threshold: object) => ({
  ...outcome,
  patched: { revision: outcome.revision, threshold },
});
const refusedAs = (_tag: string) => (name: string, reason: string) => ({
  ...{ _tag: 'Refused', refusal: { _tag, reasons: [{ name, reason }] } },
});
const [refused, conflict] = [refusedAs('InvalidCommand'), refusedAs('PatchConflict')];
const unknownName = refused(
  'name',
  'must be one of setThreshold, patchThreshold, recordMeasurement, recalculate, setExternalAlarm, republish',
);

const nameless = [null, 7, 'recalculate', [], {}, { name: 'applyCommands', commands: [] }, { name: '__proto__' }];
const inheriting: unknown = JSON.parse('{"name": "recalculate", "userId": "a", "__proto__": {}}');

describe('each command of a group is answered on its own, in order', () => {
  const set = entry(setThreshold(overall));
  const cleared = (ifMatch: number) => entry(setThreshold({}, { ifMatch }));
  test.each<[name: string, given: ReadonlyArray<Sent>, when: ReadonlyArray<unknown>, then: ReadonlyArray<unknown>]>([
    ['none', [], [], []],
    [
      'each on what the ones before it left',
      [],
      [set, cleared(1), entry(recalculate())],
      [applied(1), applied(2), same(2)],
    ],
    [
      'a refused one between two others',
      [],
      [set, cleared(0), entry(external(7)), entry(recordMeasurement(dataPoint(1)))],
      [
        applied(1),
        { _tag: 'Refused', refusal: { _tag: 'PreconditionFailed', revision: 1 } },
        refused('status', 'must be one of 0, 1, 2, 3, 4'),
        applied(1),
      ],
    ],
    ['a repeat of one before it', [], Array(2).fill(entry(setThreshold(overall, keyed))), [applied(1), same(1)]],
    ['entries that are no commands', [], nameless, nameless.map(() => unknownName)],
    ['an entry with the prototype in it', [], [inheriting], [refused('__proto__', 'is not a known property')]],
    [
      'each patch shows the threshold as it left it',
      [setThreshold(overall)],
      [entry(raise), entry(patchThreshold([add('/fullScale', 9)]))],
      [showing(applied(2), raised), showing(applied(3), { ...raised, fullScale: 9 })],
    ],
    [
      'a patch that changes nothing shows it as well',
      [setThreshold(overall)],
      [entry(patchThreshold([]))],
      [showing(same(1), { nodeId, ...overall })],
    ],
    [
      'a repeat under a key has the revision that the first one left; of a patch the threshold as it is now',
      [setThreshold({}, keyed), setThreshold(overall), patchThreshold([], { idempotencyKey: 'b' }), setThreshold({})],
      [entry(setThreshold({}, keyed)), entry(patchThreshold([], { idempotencyKey: 'b' }))],
      [same(1), { _tag: 'Unchanged', revision: 2, patched: { revision: 3, threshold: { nodeId } } }],
    ],
    ['a refused patch shows nothing', [], [entry(raise)], [conflict('0.path', '/overall/innerHigh does not exist')]],
    [
      'a patch before a refused one',
      [setThreshold(overall)],
      [entry(raise), null],
      [showing(applied(2), raised), unknownName],
    ],
  ])('%s', (_name, given, when, then) => {
    expect(applyAll(nodeAfter(given), ...when).answer).toEqual({ outcomes: then });
  });
});

test('a group that is decided twice has the same ids, and another node has others', () => {
  const entries = [entry(setThreshold(overall, keyed)), null, entry(recalculate())];
  const idsOf = (id: string) =>
    sendGroup(newNode(id), { commands: entries }).node.outbox.waiting.map(({ sequenceId }) => sequenceId);
  expect(idsOf(nodeId)).toHaveLength(3);
  expect(idsOf(nodeId)).toEqual(idsOf(nodeId));
  expect(idsOf(anId(7))).not.toContain(idsOf(nodeId)[0]);
});

describe('what there is no room for is not taken', () => {
  test('a command whose events the outbox has no room for, and all that follow it', () => {
    const { node, answer, work, postponedWork } = applyAll(
      nodeAfter([]),
      ...Array.from({ length: 8 }, () => entry(large)),
      entry(recalculate()),
    );
    const taken = Math.floor(OUTBOX_BYTES / 103_000);
    expect(answer.outcomes).toEqual(Array.from({ length: taken }, (_, at) => ({ _tag: 'Applied', revision: at + 1 })));
    expect(answer.postponed).toEqual({ _tag: 'OutboxFull', waiting: node.outbox.waiting.length });
    expect(node.state.revision).toBe(taken);
    expect(postponedWork).toBe(work / taken);
  });

  test('a patch whose threshold the answer has no room for, and all that follow it', () => {
    const patches = [1, 2, 3, 4].map((value) => entry(patchThreshold([add('/fullScale', value)])));
    const { node, answer, work, postponedWork } = applyAll(nodeAfter([large]), ...patches, entry(recalculate()));
    expect(answer).toMatchObject({ outcomes: [{ revision: 2 }, { revision: 3 }], postponed: { _tag: 'GroupFull' } });
    expect(JSON.stringify(answer).length).toBeLessThan(PATCHED_BYTES);
    expect(postponedWork).toBeGreaterThan(work / 3);
    expect(node.state.threshold.fullScale).toBe(2);
  });

  describe('commands for which the group has worked enough', () => {
    const lines = Array.from({ length: 25_600 }, (_, index) => ({ x: index, y: 1 }));
    const bandAlarms = Array.from({ length: 100 }, () => ({}));
    const measured = nodeAfter([setThreshold({ bandAlarms }), recordMeasurement(spectrum(lines))]);
    const node = { ...measured, outbox: emptyOutbox };
    const commands = Array.from({ length: 30 }, (_, value) =>
      entry(patchThreshold([add('/bandAlarms/0/minFrequency', { value, valueType: 1 })])),
    );

    test('and all that follow them', () => {
      const { work, answer } = applyAll(node, ...commands);
      const taken = answer.outcomes.length;
      expect(taken).toBeGreaterThan(5);
      expect(taken).toBeLessThan(commands.length);
      expect(work).toBeGreaterThanOrEqual(GROUP_WORK);
      expect(work - work / taken).toBeLessThan(GROUP_WORK);
      expect(answer.postponed).toEqual({ _tag: 'GroupFull' });
    });

    test('but not those of a repeat that were answered before', () => {
      const { answer } = repeated(node, [...Array<null>(29).fill(null), 7], commands);
      expect(answer.outcomes).toHaveLength(30);
    });
  });

  test('the first patch always has room', () => {
    const { answer } = applyAll(nodeAfter([large]), entry(patchThreshold([])), entry(recalculate()));
    expect(answer.postponed).toBeUndefined();
  });
});

test('a group tells each measurement with the threshold that rated it, not with a later one of the group', () => {
  const before = nodeAfter([setThreshold(overall)]);
  const other = { ...overall, overall: { ...overall.overall, unit: 'F' } };
  const measured = (value: number): Sent => recordMeasurement(dataPoint(value, { measurementId: anId(value) }));
  const { events } = applyAll(before, ...[measured(1), setThreshold(other), measured(2)].map(entry));
  const measurements = measurementsIn(before.state.threshold, events);
  expect(
    measurements.map(({ measurement, threshold }) => [measurement.measurementId, threshold.overall?.unit]),
  ).toEqual([
    [anId(1), overall.overall.unit],
    [anId(2), 'F'],
  ]);
});
