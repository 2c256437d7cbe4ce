import { msToTs } from '@temporalio/common/lib/time';
import { expect, test } from 'vitest';
import { foldRun, stepsOf, type RunStep } from '../../../cli/run-steps';
import { OUTBOX_BYTES } from '../../../workflows/domain/limits';
import { carriedOn } from '../../../workflows/domain/node/state';
import { unreadableSignal } from '../../../workflows/messages';
import { recordMeasurement, setExternalAlarm, setThreshold } from '../../support/commands';
import { dataPoint, overall } from '../../support/measurements';
import { nodeAfter, nodeId, START, type Sent } from '../../support/scenario';

const commands = [setThreshold(overall), recordMeasurement(dataPoint(25)), setExternalAlarm({ status: 3 })];
const step = (of: RunStep['of'], argument: unknown, seconds = 0, name = ''): RunStep => ({
  ...{ of, name, argument },
  at: START + seconds * 1_000,
});
const steps = (sent: ReadonlyArray<Sent>, from = 0) =>
  sent.map(([name, argument], at) => step('update', argument, from + at, name));
const grouped = (sent: ReadonlyArray<Sent>, seconds = 0): RunStep =>
  step('update', { commands: sent.map(([name, payload]) => ({ name, ...payload })) }, seconds, 'applyCommands');

test('a node is what its run began with, and each command since, whether one by one or in groups', () => {
  const expected = nodeAfter(commands).state;
  expect(foldRun(nodeId, steps(commands))).toEqual(expected);
  const group = grouped(commands.slice(1, 2), 1);
  expect(foldRun(nodeId, [...steps(commands.slice(0, 1)), group, ...steps(commands.slice(2), 2)])).toEqual(expected);
  const carried = carriedOn(nodeAfter(commands.slice(0, 2)));
  expect(foldRun(nodeId, [step('argument', carried), ...steps(commands.slice(2), 2)])).toEqual(expected);
});

test('what is no command, does not decode, or was refused, changes nothing', () => {
  const odd = [
    step('argument', { state: 7, outbox: {} }),
    step('signal', carriedOn(nodeAfter([])), 0, 'argument'),
    step('signal', { commands: [] }, 0, 'applyCommands'),
    step('update', undefined, 0, 'publishNow'),
    step('update', { commands: 'none' }, 0, 'applyCommands'),
    step('update', { status: 9 }, 0, 'setExternalAlarm'),
    step('publication', undefined),
  ];
  expect(foldRun(nodeId, [...steps(commands), ...odd])).toEqual(nodeAfter(commands).state);
});

test('a command that waited for room counts once: when the node took it', () => {
  const node = nodeAfter(commands.slice(0, 1));
  const full = { ...node, outbox: { ...node.outbox, bytes: OUTBOX_BYTES } };
  const newest = node.outbox.waiting.at(-1)?.sequenceId;
  const sent = grouped([setThreshold({})], 1);
  const begun = step('argument', carriedOn(full));
  expect(foldRun(nodeId, [begun, sent]).revision).toBe(1);
  expect(foldRun(nodeId, [begun, sent, step('publication', newest, 2), sent]).revision).toBe(2);
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

test('a signal is left out that nobody could read when it came', () => {
  const events = [signalled('one'), signalled('two'), began(1, 2), done(1), marked(unreadableSignal(1))];
  expect(stepsOf(events).map(({ name }) => name)).toEqual(['two']);
});
