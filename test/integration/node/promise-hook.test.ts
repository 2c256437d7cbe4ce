import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { testPort } from '../../../scripts/stack/free-ports';
import { projectRoot } from '../../../scripts/stack/project-root';
import { entries } from '../../../scripts/start/entries';
import { bringUpClient, eventually, measured, windowed } from './nodes';

/** What a worker process that Node runs with `args` answers to `__stack_trace` of a node that it has taken to the stream. */
const stackTraceBy = async (args: ReadonlyArray<string>): Promise<string> => {
  const nodes = await bringUpClient();
  const worker = spawn(process.execPath, args, {
    cwd: projectRoot,
    stdio: 'ignore',
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_TASK_QUEUE: nodes.taskQueue,
      REDIS_URL: inject('redisUrl'),
      EVENT_STREAM: nodes.stream,
      WORKER_PORT: String(testPort()),
    },
  });
  const ended = once(worker, 'exit');
  onTestFinished(async () => {
    worker.kill('SIGKILL');
    await ended;
    await nodes.stop();
  });
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  await nodes.send(nodeId, [measured(60)]);
  await eventually(
    () => nodes.entries(nodeId),
    ({ length }) => length === 3,
  );
  return nodes.handle(nodeId).query<string>('__stack_trace');
};

test('a worker as it is started keeps no stacks of promises, and its nodes run', async () => {
  expect(await stackTraceBy(entries.worker)).toBe('');
});

test('it is the hook that is taken away: without what is loaded first there are stacks', async () => {
  expect(await stackTraceBy(entries.worker.slice(-1))).toContain('pointAlarm');
});

test('every way to start a worker loads the same first', () => {
  const command = `node ${entries.worker.join(' ')}`;
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  expect(scripts['start:worker']).toBe(command);
  expect(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8')).toContain(
    `[node, ${entries.worker.join(', ')}]`,
  );
});
