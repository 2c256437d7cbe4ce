import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { testPort } from '../../../dev/stack/free-ports';
import { projectRoot } from '../../../dev/stack/project-root';
import { entries } from '../../../dev/stack/service';
import { queries } from '../../../workflows/messages';
import { runNode } from '../../support/run-node';
import { folderOfTest } from '../../support/temporary-folder';
import { bringUpClient, eventually, measured, windowed, type Nodes } from './nodes';

/** Nodes that a worker process serves, run by Node with `args`. */
const bringUpProcess = async (
  args: ReadonlyArray<string>,
  { redisUrl = inject('redisUrl'), env = {} }: { readonly redisUrl?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Nodes> => {
  const nodes = await bringUpClient();
  const worker = runNode(args, {
    ...process.env,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: nodes.taskQueue,
    REDIS_URL: redisUrl,
    EVENT_STREAM: nodes.stream,
    WORKER_PORT: String(testPort()),
    ...env,
  });
  onTestFinished(async () => {
    await worker.stop();
    await nodes.stop();
  });
  return nodes;
};

/** What it answers to `__stack_trace` of a node that it has taken to the stream. */
const stackTraceBy = async (args: ReadonlyArray<string>): Promise<string> => {
  const nodes = await bringUpProcess(args);
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  await nodes.send(nodeId, [measured(60)]);
  await nodes.entriesOnce(nodeId, 3);
  return nodes.handle(nodeId).query<string>('__stack_trace');
};

test('a worker as it is started keeps no stacks of promises, and its nodes run', async () => {
  expect(await stackTraceBy(entries.worker)).toBe('');
});

test('it is the hook that is taken away: without what is loaded first there are stacks', async () => {
  expect(await stackTraceBy(entries.worker.slice(-1))).toContain('pointAlarm');
});

test('a worker as it is started keeps the scopes of the SDK: breaking a publication off does not cancel its node', async () => {
  const nodes = await bringUpProcess(entries.worker, { redisUrl: `redis://127.0.0.1:${testPort()}` });
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  const first = await nodes.handle(nodeId).describe();
  for (let signal = 0; signal < 10; signal += 1) await nodes.handle(nodeId).signal('recalculate', 'x'.repeat(500_000));
  let sent = 0;
  const sendAndCount = async (): Promise<number> => {
    await nodes.send(nodeId, [{ name: 'recalculate', userId: 'tester', idempotencyKey: String((sent += 1)) }]);
    return nodes.runs(nodeId);
  };
  await eventually(sendAndCount, (runs) => runs > 1);
  const ended = await nodes.client.workflow.getHandle(first.workflowId, first.runId).describe();
  expect(ended.status.name).toBe('CONTINUED_AS_NEW');
  expect(await nodes.handle(nodeId).query(queries.pendingEvents)).toHaveLength(2 + sent);
});

/** Loaded before all else: writes each call into the sandbox and its time-out, as they are in the end, to a file. */
const SPY = `
const { appendFileSync } = require('node:fs');
const { Script } = require('node:vm');
const { runInContext } = Script.prototype;
Script.prototype.runInContext = function (sandbox, options) {
  const call = sandbox.__temporal_args?.[1];
  if (call !== undefined) appendFileSync(process.env.SANDBOX_CALLS, call + ' ' + options?.timeout + '\\n');
  return runInContext.call(this, sandbox, options);
};
`;

test('a worker as it is started bounds the time of what takes commands, and of nothing that is called as often', async () => {
  const folder = folderOfTest();
  const [spy, calls] = [join(folder, 'spy.cjs'), join(folder, 'calls')];
  writeFileSync(spy, SPY);
  const nodes = await bringUpProcess(entries.worker, {
    env: { NODE_OPTIONS: `--require ${spy}`, SANDBOX_CALLS: calls },
  });
  const nodeId = randomUUID();
  await nodes.send(nodeId, [windowed()]);
  await nodes.send(nodeId, [measured(60)]);
  const seen = new Set(existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []);
  expect([...seen].filter((call) => /^(activate|tryUnblock|conclude)/u.test(call)).sort()).toEqual([
    'activate 5000',
    'concludeActivation undefined',
    'tryUnblockConditions undefined',
  ]);
});

/** Loaded before all else: each run of the code of a node takes 150 ms, as one that others wait for. */
const SLOWNESS = `
const { Script } = require('node:vm');
const { runInContext } = Script.prototype;
Script.prototype.runInContext = function (sandbox, options) {
  const until = performance.now() + (sandbox.__temporal_args?.[1] === 'activate' ? 150 : 0);
  while (performance.now() < until);
  return runInContext.call(this, sandbox, options);
};
`;

test('a worker as it is started measures each run of a node that others wait for', async () => {
  const slowness = join(folderOfTest(), 'slowness.cjs');
  writeFileSync(slowness, SLOWNESS);
  const WORKER_PORT = String(testPort());
  const nodes = await bringUpProcess(entries.worker, { env: { NODE_OPTIONS: `--require ${slowness}`, WORKER_PORT } });
  const long = async (of: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${WORKER_PORT}/metrics`)).text();
    const [line = ''] = text.split('\n').filter((one) => one.startsWith(`point_alarm_long_activations_seconds${of}`));
    return Number(line.split(' ').at(-1));
  };
  await nodes.send(randomUUID(), [windowed()]);
  await eventually(
    () => long('_count'),
    (count) => count > 0,
  );
  expect(await long('_bucket{le="0.1"')).toBe(0);
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
