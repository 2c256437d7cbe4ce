import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { WRITTEN_EVERY_MS } from '../../../workflows/reads';
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
    .filter((seconds) => seconds < 60);

/** The times of the workflow tasks that wrote the attribute (ms), as the node knows them. */
const writtenAt = (events: ReadonlyArray<HistoryEvent>): ReadonlyArray<number> => {
  const starts = new Map(
    ofType(events, EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED).map(({ eventId, eventTime }) => [
      String(eventId),
      Number(eventTime?.seconds) * 1_000 + Number(eventTime?.nanos) / 1e6,
    ]),
  );
  const completed = new Map(
    ofType(events, EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED).map((event) => [
      String(event.eventId),
      String(event.workflowTaskCompletedEventAttributes?.startedEventId),
    ]),
  );
  return ofType(events, EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES).map((event) => {
    const task = String(event.upsertWorkflowSearchAttributesEventAttributes?.workflowTaskCompletedEventId);
    return starts.get(completed.get(task) ?? '') ?? NaN;
  });
};

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

test('a change that comes soon after another is found after two seconds, without any command', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  await nodes.send(nodeId, [DANGER]);
  await eventually(() => found(nodeId, 4), Boolean);
  for (const seconds of startedTimers(await eventsOf(nodeId))) expect(seconds * 1_000).toBe(WRITTEN_EVERY_MS);
});

test('a flapping status is written at most once in two seconds, and rightly in the end', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  const end = Date.now() + 3 * WRITTEN_EVERY_MS;
  let isHigh = false;
  while (Date.now() < end || !isHigh) {
    isHigh = !isHigh;
    await nodes.send(nodeId, [isHigh ? DANGER : GOOD]);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  await eventually(() => found(nodeId, 4), Boolean);
  const times = writtenAt(await eventsOf(nodeId));
  expect(times.length).toBeGreaterThanOrEqual(2);
  for (const [index, time] of times.slice(1).entries())
    expect(time - (times[index] ?? NaN)).toBeGreaterThanOrEqual(WRITTEN_EVERY_MS);
});

test('no timer is left in a node whose status went back before it was shown', async () => {
  const nodeId = randomUUID();
  for (const status of [3, 4, 3]) await nodes.send(nodeId, [external(status)]);
  await eventually(() => found(nodeId, 3), Boolean);
  const events = await eventsOf(nodeId);
  const timers = startedTimers(events).length;
  const canceled = ofType(events, EventType.EVENT_TYPE_TIMER_CANCELED).length;
  const fired = ofType(events, EventType.EVENT_TYPE_TIMER_FIRED).length;
  expect(canceled + fired).toBe(timers);
});
