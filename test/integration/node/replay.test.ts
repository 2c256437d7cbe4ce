import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workflowIdOf } from '../../../workflows/messages';
import { liveALife } from './life';
import { bringUpNodes, bundle, eventually, type Nodes } from './nodes';

/** Where `RECORD_HISTORIES=1` keeps what this test saw: the fixtures of the replay tier. */
const fixtures = join(__dirname, '../../replay/histories');

let nodes: Nodes;
beforeAll(async () => {
  nodes = await bringUpNodes();
});
afterAll(() => nodes.stop());

test('every run of a node that saw everything replays', async () => {
  const workflowId = workflowIdOf(await liveALife(nodes));
  const runsOf = async (): Promise<ReadonlyArray<string>> => {
    const runs: { readonly runId: string; readonly startTime: Date }[] = [];
    for await (const { runId, startTime } of nodes.client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
      runs.push({ runId, startTime });
    }
    return runs.sort((one, other) => one.startTime.getTime() - other.startTime.getTime()).map(({ runId }) => runId);
  };
  const runs = await eventually(runsOf, ({ length }) => length >= 3);
  const workflowBundle = await bundle();
  for (const [index, runId] of runs.entries()) {
    const history = await nodes.client.workflow.getHandle(workflowId, runId).fetchHistory();
    await expect(Worker.runReplayHistory({ workflowBundle }, history, workflowId)).resolves.toBeUndefined();
    if (process.env['RECORD_HISTORIES'] !== undefined) {
      mkdirSync(fixtures, { recursive: true });
      writeFileSync(
        join(fixtures, `v1-run-${index + 1}.json`),
        `${JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) as unknown })}\n`,
      );
    }
  }
});
