import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { queries, UNTIMED_EVENTS, workflowIdOf } from '../../../workflows/messages';
import { bringUpClient, bringUpNodes, bundle, eventually, measured, windowed } from './nodes';

const NODES = 5;
const external = (status: number): object => ({ userId: 'tester', status });

test('a query that waited for a worker while a signal came leaves nodes that replay', async () => {
  const first = await bringUpNodes();
  const { taskQueue, stream } = first;
  const nodes = await bringUpClient({ taskQueue, stream });
  const { send, handle } = nodes;
  const nodeIds = Array.from({ length: NODES }, () => randomUUID());
  for (const nodeId of nodeIds) {
    await send(nodeId, [windowed(), measured(30)]);
    await nodes.entriesOnce(nodeId, 3);
  }
  await first.stop();

  const askAll = () => Promise.all(nodeIds.map((nodeId) => handle(nodeId).query(queries.alarmStatus).catch(String)));
  const asked = askAll();
  // The queries wait in the server. And now the search attribute may follow at once, but by the time of the last task.
  await sleep(2_000);
  for (const nodeId of nodeIds) await handle(nodeId).signal<[unknown]>('setExternalAlarm', external(4));
  const second = await bringUpNodes({ taskQueue, stream });
  expect(await asked).toContain(`QueryNotRegisteredError: ${UNTIMED_EVENTS}`);
  await eventually(askAll, (answers) => answers.every((answer) => typeof answer !== 'string' && answer.status === 4));

  for (const nodeId of nodeIds) {
    const history = await handle(nodeId).fetchHistory();
    await Worker.runReplayHistory({ workflowBundle: await bundle() }, history, workflowIdOf(nodeId));
  }
  await second.stop();
  await nodes.stop();
});
