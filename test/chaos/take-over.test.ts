import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { recovered, settingOf } from './scenario';
import { seed } from './seed';
import { withStack } from './with-stack';

const { stack, tail } = withStack();

const NODES = 60;
/** Writes of each node: a run that nearly continues as new, the longest to replay. */
const WRITES = 60;
/** Other processes for each core, so that a process that computes gets a fifth of a core. */
const BUSY_PER_CORE = 4;

/** Keeps all cores busy until it is stopped. */
const keepBusy = () => {
  const busy = Array.from({ length: BUSY_PER_CORE * availableParallelism() }, () =>
    spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
  );
  return { stop: () => busy.forEach((one) => one.kill('SIGKILL')) };
};

test('a worker with a fifth of a core gets through the replay of many nodes', async () => {
  const setting = settingOf(stack(), tail(), { seed, nodes: NODES });
  const { asks, nodes, recorder, caller } = setting;
  await Promise.all(
    nodes.map(async (nodeId) => {
      for (let write = 0; write < WRITES; write += 1) await recorder.send(nodeId, asks.external(), { keyed: true });
    }),
  );
  const { workers } = stack();
  await Promise.all(workers.map(({ kill }) => kill()));
  const busy = keepBusy();
  try {
    await workers[0].start();
    const ms = await recovered(setting, performance.now(), 240_000);
    console.log(`every node took a write within ${Math.round(ms)} ms`);
  } finally {
    busy.stop();
    caller.close();
  }
  expect(recorder.writes.filter(({ answer }) => answer !== 'acknowledged')).toEqual([]);
  await workers[1].restart();
});
