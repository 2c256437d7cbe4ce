import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { STEADY_MS, WRITTEN_EVERY_MS } from '../../../workflows/status-attribute';
import { updates, WORKFLOW_TYPE, workflowIdOf } from '../../../workflows/messages';
import { bringUpNodes, eventually, measured, windowed } from './nodes';
import { forFile } from '../../support/for-file';

const { EventType } = temporal.api.enums.v1;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const GOOD = measured(30);
const DANGER = measured(60);
const external = (status: number): object => ({ name: 'setExternalAlarm', userId: 'tester', status });

const nodes = forFile(bringUpNodes, ({ stop }) => stop());

const found = async (nodeId: string, status: number): Promise<boolean> => {
  const one = `WorkflowId = "${workflowIdOf(nodeId)}" AND ExecutionStatus = "Running"`;
  return (await nodes.client.workflow.count(`PointAlarmStatus = ${status} AND ${one}`)).count === 1;
};

const eventsOf = async (nodeId: string): Promise<ReadonlyArray<HistoryEvent>> =>
  (await nodes.handle(nodeId).fetchHistory()).events ?? [];

const ofType = (
  events: ReadonlyArray<HistoryEvent>,
  type: temporal.api.enums.v1.EventType,
): ReadonlyArray<HistoryEvent> => events.filter(({ eventType }) => eventType === type);

/** Seconds of the timers that were started, but for the long one after which a node publishes by itself. */
const startedTimers = (events: ReadonlyArray<HistoryEvent>): ReadonlyArray<number> =>
  ofType(events, EventType.EVENT_TYPE_TIMER_STARTED)
    .map(({ timerStartedEventAttributes }) => Number(timerStartedEventAttributes?.startToFireTimeout?.seconds))
    .filter((seconds) => seconds < 600);

const writes = async (nodeId: string): Promise<number> =>
  ofType(await eventsOf(nodeId), EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES).length;

test('nodes are found by their status', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed(), DANGER]);
  await eventually(() => found(nodeId, 4), Boolean);
  await nodes.send(nodeId, [GOOD]);
  await eventually(() => found(nodeId, 2), Boolean);
});

test('a node that operators began is found from the first group that says so', async () => {
  const nodeId = randomUUID();
  const workflowId = workflowIdOf(nodeId);
  await nodes.client.workflow.start(WORKFLOW_TYPE, { workflowId, taskQueue: nodes.taskQueue, args: [] });
  const alarm = { userId: 'tester', status: 4 };
  await nodes.handle(nodeId).executeUpdate(updates.setExternalAlarm, { args: [alarm] });
  expect(await found(nodeId, 4)).toBe(false);
  await nodes.send(nodeId, [external(4)]); // its status stays
  await eventually(() => found(nodeId, 4), Boolean);
});

test('a change for the worse is found within two seconds, however soon it comes after another', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  await nodes.send(nodeId, [GOOD]);
  await nodes.send(nodeId, [DANGER]);
  await eventually(() => found(nodeId, 4), Boolean);
  for (const seconds of startedTimers(await eventsOf(nodeId))) expect(seconds * 1_000).toBe(WRITTEN_EVERY_MS);
});

test('while a status flaps the worst one is found, with no more writes; a better one once it has lasted', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  for (let times = 0; times < 20; times += 1) {
    await nodes.send(nodeId, [times % 2 === 0 ? DANGER : GOOD]);
    await sleep(300);
  }
  await eventually(() => found(nodeId, 4), Boolean);
  expect(await writes(nodeId)).toBeLessThanOrEqual(5); // of 20 changes
  await eventually(() => found(nodeId, 2), Boolean, STEADY_MS + 20_000);
  expect(startedTimers(await eventsOf(nodeId)).length).toBeLessThanOrEqual(10);
}, 300_000);
