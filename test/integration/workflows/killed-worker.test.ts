import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, expect, inject, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import { testPort } from '../../../stack/free-ports';
import { entries as processes } from '../../../stack/service/start-service';
import { queries } from '../../../workflows/messages';
import { bringUpClient, eventually, measured, windowed, type Nodes } from './nodes';

const workers: ChildProcess[] = [];
let nodes: Nodes | undefined;
afterEach(async () => {
  for (const worker of workers.splice(0)) worker.kill('SIGKILL');
  await nodes?.stop();
});

/** The worker process as `npm run start:worker` starts it. */
const startWorker = ({ taskQueue, stream }: Nodes): ChildProcess => {
  const worker = spawn(process.execPath, processes.worker, {
    cwd: projectRoot,
    stdio: 'ignore',
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_TASK_QUEUE: taskQueue,
      REDIS_URL: inject('redisUrl'),
      EVENT_STREAM: stream,
      WORKER_PORT: String(testPort()),
    },
  });
  workers.push(worker);
  return worker;
};

test('a killed and restarted worker goes on where it was, with nothing lost or doubled', async () => {
  nodes = await bringUpClient();
  const nodeIds = Array.from({ length: 5 }, () => randomUUID());
  const first = startWorker(nodes);
  const { send, entries, handle } = nodes;
  await Promise.all(nodeIds.map((nodeId) => send(nodeId, [windowed()])));
  let acknowledged = 0;
  let next = 0;
  const sendAll = nodeIds.map(async (nodeId) => {
    for (let count = 0; count < 30; count += 1) {
      await send(nodeId, [measured((next += 1) % 80)], randomUUID());
      acknowledged += 1;
    }
  });
  await eventually(
    () => Promise.resolve(acknowledged),
    (sent) => sent >= 40,
  );
  first.kill('SIGKILL');
  await once(first, 'exit');
  startWorker(nodes);
  await Promise.all(sendAll);

  for (const nodeId of nodeIds) {
    const published = await eventually(
      () => entries(nodeId),
      ({ length }) => length >= 32,
      30_000,
    );
    expect(published).toHaveLength(32);
    const ids = published.map((entry) => entry['sequenceId']);
    expect(ids).toEqual([...ids].sort());
    const { updatedAt } = await handle(nodeId).query(queries.alarmStatus);
    expect(JSON.parse(published[31]?.['data'] ?? '')).toMatchObject({ updatedAt });
  }
});
