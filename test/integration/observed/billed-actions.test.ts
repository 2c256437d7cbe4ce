import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { workflowIdOf } from '../../../workflows/messages';
import { startService } from '../../support/service';
import { forFile } from '../../support/for-file';

const service = forFile(startService, ({ stop }) => stop());

const types = temporal.api.enums.v1.EventType;
/** The events of a history that Temporal Cloud bills as an action: https://docs.temporal.io/cloud/actions */
const billed = {
  starts: types.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
  updates: types.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED,
  searchAttributes: types.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
  timers: types.EVENT_TYPE_TIMER_STARTED,
  activities: types.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
  signals: types.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
  markers: types.EVENT_TYPE_MARKER_RECORDED,
};

/** The billed events of the present run of a node, by what they are. */
const actionsOf = async (nodeId: string): Promise<Record<keyof typeof billed, number>> => {
  const { events } = await service.client.workflow.getHandle(workflowIdOf(nodeId)).fetchHistory();
  const count = (type: temporal.api.enums.v1.EventType): number =>
    (events ?? []).filter(({ eventType }) => eventType === type).length;
  const counts = Object.entries(billed).map(([name, type]) => [name, count(type)]);
  return Object.fromEntries(counts) as Record<keyof typeof billed, number>;
};

const measure = (nodeId: string, y: number) => {
  const dataPoint = { coordinate: { x: 0, y }, xUnit: 's', yUnit: 'C' };
  const body = { measurementId: randomUUID(), createdAt: new Date(), contentType: 'DATA_POINT', dataPoint };
  return service.call({ method: 'PUT', path: `/v1/alarm-status/${nodeId}`, body });
};

test('a measurement of the same status is one billed action; a run brings a start and a few timers and activities', async () => {
  const nodeId = randomUUID();
  const threshold = { thresholdType: 2, overall: { unit: 'C', innerHigh: 50 } };
  await service.call({ method: 'PUT', path: `/v1/point-alarm-threshold/${nodeId}`, body: threshold });
  for (let sent = 0; sent < 40; sent += 1) expect((await measure(nodeId, 20)).status).toBe(204);
  const first = await actionsOf(nodeId);
  expect(first).toMatchObject({ starts: 1, updates: 41, signals: 0, markers: 0 });
  // The status changed at the start; where the machine was too busy to relay, the node published by an activity.
  expect(first.searchAttributes).toBeLessThanOrEqual(2);
  expect(first.timers).toBeLessThanOrEqual(3);
  expect(first.activities).toBeLessThanOrEqual(3);

  for (let sent = 0; sent < 90; sent += 1) await measure(nodeId, 20);
  const second = await actionsOf(nodeId);
  expect(second.updates).toBeLessThan(131);
  expect(second).toMatchObject({ starts: 1, searchAttributes: 0 });
  expect(second.timers >= 1 && second.timers <= 4).toBe(true);
  expect(second.activities).toBeLessThanOrEqual(4); // one where the run before left events to it
});
