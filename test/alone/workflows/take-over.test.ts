import { expect, test } from 'vitest';
import { waitForRecovery, settingOf } from '../../chaos/scenario';
import { seed } from '../../chaos/seed';
import { withStack } from '../../chaos/with-stack';
import { startBusyLoops } from '../../support/busy-loops';

const { stack, tail } = withStack();

const NODES = 60;
/** Writes of each node: a run that nearly continues as new, the longest to replay. */
const WRITES = 60;
/** Other processes for each core, so that a process that computes gets a fifth of a core. */
const BUSY_PER_CORE = 4;

test('a worker with a fifth of a core gets through the replay of many nodes', async () => {
  const setting = settingOf(stack(), tail(), { seed, nodes: NODES });
  const { requests, nodes, recorder, caller } = setting;
  await Promise.all(
    nodes.map(async (nodeId) => {
      for (let write = 0; write < WRITES; write += 1) await recorder.send(nodeId, requests.external(), { keyed: true });
    }),
  );
  const { workers } = stack();
  await Promise.all(workers.map(({ kill }) => kill()));
  const calm = startBusyLoops(BUSY_PER_CORE);
  try {
    await workers[0].start();
    const ms = await waitForRecovery(setting, performance.now(), 240_000);
    console.log(`every node took a write within ${Math.round(ms)} ms`);
  } finally {
    await calm();
    caller.close();
  }
  expect(recorder.writes.filter(({ answer }) => answer !== 'acknowledged')).toEqual([]);
  await workers[1].restart();
});
