import { msToTs } from '@temporalio/common/lib/time';
import { describe, expect, test } from 'vitest';
import { foldRun, stepsOf, type RunStep } from '../../../cli/run-steps';
import { OUTBOX_BYTES } from '../../../workflows/domain/limits';
import { continueAsNewArgument, type State } from '../../../workflows/domain/node/state';
import { COMMAND_WORK, GROUP_WORK } from '../../../workflows/domain/node/work-estimate';
import { unreadableSignal } from '../../../workflows/messages';
import { ROOM_WITHIN_MS, TURN_AFTER_MS } from '../../../workflows/signal-queue';
import { leftOf, rightOf } from '../../support/either';
import { recordMeasurement, setExternalAlarm, setThreshold } from '../../support/commands';
import { dataPoint, overall } from '../../support/measurements';
import { nodeAfter, nodeId, START, userId, type Sent } from '../../support/scenario';

const commands = [setThreshold(overall), recordMeasurement(dataPoint(25)), setExternalAlarm({ status: 3 })];
const step = (of: RunStep['of'], argument: unknown, seconds = 0, name = ''): RunStep => ({
  ...{ of, name, argument },
  ...{ at: START + seconds * 1_000, task: seconds },
});
const stateAfter = (taken: ReadonlyArray<RunStep>): State => rightOf(foldRun(nodeId, taken));
const steps = (sent: ReadonlyArray<Sent>, from = 0) =>
  sent.map(([name, argument], at) => step('update', argument, from + at, name));
const grouped = (sent: ReadonlyArray<Sent>, seconds = 0): RunStep =>
  step('update', { commands: sent.map(([name, payload]) => ({ name, ...payload })) }, seconds, 'applyCommands');

test('a node is what its run began with, and each command since, whether one by one or in groups', () => {
  const expected = nodeAfter(commands).state;
  expect(stateAfter(steps(commands))).toEqual(expected);
  const group = grouped(commands.slice(1, 2), 1);
  expect(stateAfter([...steps(commands.slice(0, 1)), group, ...steps(commands.slice(2), 2)])).toEqual(expected);
  const carried = continueAsNewArgument(nodeAfter(commands.slice(0, 2)));
  expect(stateAfter([step('argument', carried), ...steps(commands.slice(2), 2)])).toEqual(expected);
});

test('what is no command, does not decode, or was refused, changes nothing', () => {
  const odd = [
    step('signal', continueAsNewArgument(nodeAfter([])), 0, 'argument'),
    step('signal', { commands: [] }, 0, 'applyCommands'),
    step('update', undefined, 0, 'publishNow'),
    step('update', { commands: 'none' }, 0, 'applyCommands'),
    step('update', { status: 9 }, 0, 'setExternalAlarm'),
    step('publication', undefined),
  ];
  expect(stateAfter([...steps(commands), ...odd])).toEqual(nodeAfter(commands).state);
});

test('what a newer release carried on is not taken for an empty node', () => {
  const { state, outbox } = continueAsNewArgument(nodeAfter(commands)) as {
    readonly state: object;
    readonly outbox: object;
  };
  const newer = { outbox, state: { ...state, schemaVersion: 2 } };
  expect(leftOf(foldRun(nodeId, [step('argument', newer), ...steps(commands)]))).toMatchObject([
    { name: 'state.schemaVersion' },
  ]);
});

test('a command that waited for room counts once: when the node took it', () => {
  const node = nodeAfter(commands.slice(0, 1));
  const full = { ...node, outbox: { ...node.outbox, bytes: OUTBOX_BYTES } };
  const newest = node.outbox.waiting.at(-1)?.sequenceId;
  const sent = grouped([setThreshold({})], 1);
  const begun = step('argument', continueAsNewArgument(full));
  expect(stateAfter([begun, sent]).revision).toBe(1);
  expect(stateAfter([begun, sent, step('publication', newest, 2), sent]).revision).toBe(2);
});

describe('signals that waited', () => {
  const many = Array.from({ length: 2 * Math.ceil(GROUP_WORK / COMMAND_WORK) }, (_, index) => index + 1);
  const signals = many.map((value) => step('signal', { userId, threshold: { fullScale: value } }, 1, 'setThreshold'));
  const update = step('update', { userId, threshold: { fullScale: 7_777 } }, 2, 'setThreshold');
  const turns = many.map(() => step('turn', undefined, 3));

  test('are taken in the turns of the history, after updates that came before', () => {
    expect(stateAfter([...signals, update]).threshold.fullScale).toBe(7_777);
    expect(stateAfter([...signals, update, ...turns]).threshold.fullScale).toBe(many.at(-1));
    expect(stateAfter([...signals, update, ...turns]).revision).toBe(many.length + 1);
  });

  test('are taken first in the run that follows', () => {
    const [first, ...later] = signals;
    const waiting = { name: 'setThreshold', payload: { userId, threshold: { fullScale: 9_999 } } } as const;
    const begun = step('argument', continueAsNewArgument(nodeAfter([]), [waiting]));
    const taken = [begun, first ?? begun, ...later.slice(0, 3), ...turns];
    expect(stateAfter(taken.slice(0, 5)).revision).toBe(0);
    expect([stateAfter(taken).revision, stateAfter(taken).threshold.fullScale]).toEqual([5, 4]);
  });

  test('for room, are taken after the next publication, or refused once the node gave up', () => {
    const node = nodeAfter(commands.slice(0, 1));
    const begun = step('argument', continueAsNewArgument({ ...node, outbox: { ...node.outbox, bytes: OUTBOX_BYTES } }));
    const signal = step('signal', { userId, threshold: { fullScale: 1 } }, 1, 'setThreshold');
    const published = step('publication', node.outbox.waiting.at(-1)?.sequenceId, 2);
    const turn = step('turn', undefined, 3);
    const givesUp = step('giving up', undefined, 2);
    expect(stateAfter([begun, signal, turn]).revision).toBe(1);
    expect(stateAfter([begun, signal, published, turn]).revision).toBe(2);
    expect(stateAfter([begun, signal, givesUp, published, turn]).revision).toBe(1);
  });
});

const at = (second: number) => msToTs(START + second * 1_000);
const payloads = (text: string) => ({ payloads: [{ data: Buffer.from(text) }] });
const id = (number: number) => number as never;
const signalled = (name: string) => ({
  eventTime: at(1),
  workflowExecutionSignaledEventAttributes: { signalName: name, input: payloads(name) },
});
const published = { activityTaskCompletedEventAttributes: { result: payloads('result') } };
const updated = (name: string) => ({
  workflowExecutionUpdateAcceptedEventAttributes: { acceptedRequest: { input: { name, args: payloads(name) } } },
});
const began = (number: number, second: number) => ({
  eventId: id(number),
  eventTime: at(second),
  workflowTaskStartedEventAttributes: {},
});
const done = (number: number) => ({ workflowTaskCompletedEventAttributes: { startedEventId: id(number) } });
const marked = (name: string) => ({
  markerRecordedEventAttributes: {
    markerName: 'core_patch',
    details: { data: payloads(JSON.stringify({ id: name })) },
  },
});

test('of each workflow task the signals are taken first, then the updates, then the publications, at its time', () => {
  const events = [
    { eventTime: at(0), workflowExecutionStartedEventAttributes: { input: payloads('argument') } },
    ...[began(1, 2), done(1), updated('one')],
    ...[published, signalled('two'), began(2, 3), { workflowTaskTimedOutEventAttributes: {} }, began(3, 4), done(3)],
    ...[updated('three'), signalled('four')],
    ...[began(4, 1), done(4), updated('five'), signalled('nobody has taken it yet')],
  ];
  expect(stepsOf(events).map((one) => [one.of, one.name, (one.at - START) / 1_000])).toEqual([
    ['argument', '', 0],
    ['update', 'one', 2],
    ['signal', 'two', 4],
    ['update', 'three', 4],
    ['publication', '', 4],
    ['signal', 'four', 4],
    ['update', 'five', 4],
  ]);
});

test('timers of waiting signals are taken before publications, and other timers left out', () => {
  const started = (timerId: string, ms: number) => ({
    timerStartedEventAttributes: { timerId, startToFireTimeout: msToTs(ms) },
  });
  const fired = (timerId: string) => ({ timerFiredEventAttributes: { timerId } });
  const events = [
    ...[signalled('one'), began(1, 1), done(1), started('1', TURN_AFTER_MS), started('2', 250)],
    ...[published, fired('1'), fired('2'), signalled('two'), began(2, 2), done(2), started('3', ROOM_WITHIN_MS)],
    ...[updated('three'), fired('3'), began(3, 3), done(3)],
  ];
  expect(stepsOf(events).map((one) => [one.of, one.name, one.task])).toEqual([
    ['signal', 'one', 1],
    ['signal', 'two', 2],
    ['update', 'three', 2],
    ['turn', '', 2],
    ['publication', '', 2],
    ['giving up', '', 3],
  ]);
});

test('a signal is left out that nobody could read when it came', () => {
  const events = [signalled('one'), signalled('two'), began(1, 2), done(1), marked(unreadableSignal(1))];
  expect(stepsOf(events).map(({ name }) => name)).toEqual(['two']);
});
