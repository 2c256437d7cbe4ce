import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WORKFLOW_TYPE, workflowIdOf } from '../../../workflows/names';
import { bringUpNodes, eventually, measured, windowed, type Nodes } from './nodes';

let nodes: Nodes;
let isKnown = false;
beforeAll(async () => {
  nodes = await bringUpNodes({ knowsStatusAttribute: () => isKnown });
});
afterAll(async () => {
  await nodes.stop();
});

const found = async (nodeId: string, status: number): Promise<number> => {
  const query = `PointAlarmStatus = ${status} AND WorkflowId = "${workflowIdOf(nodeId)}" AND ExecutionStatus = "Running"`;
  return (await nodes.client.workflow.count(query)).count;
};

const published = (nodeId: string, events: number) =>
  eventually(
    () => nodes.entries(nodeId),
    (entries) => entries.length >= events,
  );

test('a node that was begun without the search attribute keeps it once the cluster knows it, in this run and the next', async () => {
  const nodeId = randomUUID();
  const workflowId = workflowIdOf(nodeId);
  await nodes.client.workflow.start(WORKFLOW_TYPE, { workflowId, taskQueue: nodes.taskQueue, args: [] });
  await nodes.send(nodeId, [windowed(), measured(60)]);
  await published(nodeId, 3);
  expect(await found(nodeId, 4)).toBe(0);

  isKnown = true;
  await nodes.send(nodeId, [measured(61)]); // its status stays
  await eventually(
    () => found(nodeId, 4),
    (count) => count === 1,
  );

  for (let update = 0; update < 130; update += 1) await nodes.send(nodeId, [measured(62 + update)]);
  await eventually(
    () => nodes.runs(nodeId),
    (runs) => runs > 1,
  );
  isKnown = false; // what a run knows, the next one carries
  await nodes.send(nodeId, [measured(30)]);
  await eventually(
    () => found(nodeId, 2),
    (count) => count === 1,
  );
});
