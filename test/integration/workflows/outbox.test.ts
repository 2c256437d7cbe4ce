import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Worker } from '@temporalio/worker';
import { queries, signals, workflowIdOf } from '../../../workflows/messages';
import { redisGround, type RedisGround, type RedisProcess } from '../../support/redis/servers';
import { unnamed } from './life';
import { bringUpNodes, bundle, eventually, measured, windowed, type Nodes } from './nodes';

let ground: RedisGround;
let redis: RedisProcess;
let nodes: Nodes;
beforeAll(async () => {
  ground = await redisGround();
  redis = await ground.server('--appendonly', 'yes');
  nodes = await bringUpNodes({ redisUrl: redis.url });
});
afterAll(async () => {
  await nodes.stop();
  await ground.stop();
});

/** A node with a threshold whose two events are out. */
const setNode = async (): Promise<string> => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  await eventually(
    () => nodes.entries(nodeId),
    ({ length }) => length === 2,
  );
  return nodeId;
};
/** So many measurements as one group. */
const fill = (nodeId: string, count: number): Promise<unknown> =>
  nodes.send(
    nodeId,
    Array.from({ length: count }, () => measured(30)),
  );
const pending = (nodeId: string) => nodes.handle(nodeId).query(queries.pendingEvents);

test('while Redis is unavailable commands go on and events wait; they come in order once it is back', async () => {
  const nodeId = await setNode();
  await redis.kill();
  for (let index = 0; index < 20; index += 1) await nodes.send(nodeId, [measured(index)]);
  expect(await pending(nodeId)).toHaveLength(20);
  await redis.start();
  const entries = await eventually(
    () => nodes.entries(nodeId).catch(() => []),
    ({ length }) => length >= 22,
  );
  expect(entries.map((entry) => entry['sequenceId'])).toEqual(entries.map((entry) => entry['sequenceId']).sort());
  expect(entries).toHaveLength(22);
  await eventually(
    () => pending(nodeId),
    ({ length }) => length === 0,
  );
});

test('a node that is overdue continues as new though it only gets signals and what it refuses, and what it did replays', async () => {
  const nodeId = await setNode();
  await redis.kill();
  for (let group = 0; group < 14; group += 1) await fill(nodeId, 50);
  await fill(nodeId, 47);
  const { runId } = await nodes.handle(nodeId).describe();
  const known = measured(30, { idempotencyKey: 'known' });
  await nodes.send(nodeId, [known]);
  await nodes.handle(nodeId).signal(signals.recordMeasurement, unnamed(measured(15))); // the 750th command: the publication is to be broken off
  await eventually(
    async () => (await pending(nodeId)).length,
    (count) => count >= 749,
  );
  for (let tries = 0; tries < 3; tries += 1) await expect(nodes.send(nodeId, [known])).rejects.toThrow();
  await eventually(
    () => nodes.runs(nodeId),
    (runs) => runs === 2,
  );
  const history = await nodes.client.workflow.getHandle(workflowIdOf(nodeId), runId).fetchHistory();
  const workflowBundle = await bundle();
  await expect(Worker.runReplayHistory({ workflowBundle }, history, workflowIdOf(nodeId))).resolves.toBeUndefined();
  await redis.start();
  await fill(nodeId, 1);
  await eventually(
    () => nodes.entries(nodeId).catch(() => []),
    ({ length }) => length === 752,
  );
});
