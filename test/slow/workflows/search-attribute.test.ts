import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { raisedLimits } from '../../../dev/stack/servers';
import { STATUS_ATTRIBUTE } from '../../../workflows/messages';
import { eventually } from '../../integration/workflows/nodes';
import { startPlainTemporal } from '../../support/plain-temporal';
import { startService, type Service } from '../../support/service';

const alarm = (service: Service, nodeId: string, status: number) =>
  service.call({ method: 'PUT', path: `/v1/alarm-status/${nodeId}/status/external`, body: { status } });

const failedTasks = async ({ worker }: Service): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${worker}/readyz`);
  return ((await answer.json()) as { readonly failedWorkflowTasks: number }).failedWorkflowTasks;
};

/** docs/configuration.md, TEMPORAL_SEARCH_ATTRIBUTES, and the runbook's PointAlarmWorkflowTasksFail. */
test('nodes follow "off" from their next write on; where the attribute goes before, failed tasks are counted, and it heals them as it comes back', async () => {
  const temporal = await startPlainTemporal(raisedLimits()); // which has failed tasks tried again every 15 s at least
  onTestFinished(() => temporal.stop());
  const on = await startService({ TEMPORAL_ADDRESS: temporal.address });
  const nodeIds = [randomUUID(), randomUUID()] as const;
  for (const nodeId of nodeIds)
    await eventually(
      () => alarm(on, nodeId, 3),
      ({ status }) => status === 204,
    );
  expect(await failedTasks(on)).toBe(0);

  const connection = await Connection.connect({ address: temporal.address });
  onTestFinished(() => connection.close());
  await connection.operatorService.removeSearchAttributes({
    namespace: 'default',
    searchAttributes: [STATUS_ATTRIBUTE],
  });
  const [stuck, asleep] = nodeIds;
  // The second change is written by a timer, so its task stays in the history and fails until it can be carried out.
  await alarm(on, stuck, 4);
  await alarm(on, stuck, 2);
  await eventually(
    () => failedTasks(on),
    (failed) => failed > 0,
  );
  await on.stop();

  const settings = { TEMPORAL_TASK_QUEUE: on.taskQueue, EVENT_STREAM: on.stream, TEMPORAL_SEARCH_ATTRIBUTES: 'off' };
  const off = await startService({ ...settings, TEMPORAL_ADDRESS: temporal.address });
  onTestFinished(() => off.stop());
  const takesAll = async (nodeId: string): Promise<void> => {
    for (const status of [2, 4])
      await eventually(
        () => alarm(off, nodeId, status),
        (answer) => answer.status === 204,
        150_000,
      );
  };
  await takesAll(asleep);
  await connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: { [STATUS_ATTRIBUTE]: 3 as never }, // Int
  });
  await takesAll(stuck);
});
