import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { applyCommandsUpdate, WORKFLOW_TYPE, workflowIdOf } from '../../../workflows/messages';
import { runSampleNode } from './sample-node';
import { bringUpNodes, bundle, eventually, measured, windowed } from './nodes';
import { forFile } from '../../support/for-file';

/** Where `RECORD_HISTORIES=1` keeps what this test saw: the fixtures of the replay tier. */
const fixtures = join(__dirname, '../../replay/histories');

const nodes = forFile(bringUpNodes, ({ stop }) => stop());

/** Replays the history of a run, and keeps it where that was asked for. */
const replay = async (workflowId: string, runId: string | undefined, name: string): Promise<void> => {
  const history = await nodes.client.workflow.getHandle(workflowId, runId).fetchHistory();
  await expect(
    Worker.runReplayHistory({ workflowBundle: await bundle() }, history, workflowId),
  ).resolves.toBeUndefined();
  if (process.env['RECORD_HISTORIES'] === undefined) return;
  mkdirSync(fixtures, { recursive: true });
  const recorded = { workflowId, history: JSON.parse(historyToJSON(history)) as unknown };
  writeFileSync(join(fixtures, `${name}.json`), `${JSON.stringify(recorded)}\n`);
};

test('every run of a node that saw everything replays', async () => {
  const workflowId = workflowIdOf(await runSampleNode(nodes));
  const runsOf = async (): Promise<ReadonlyArray<string>> => {
    const runs: { readonly runId: string; readonly startTime: Date }[] = [];
    for await (const { runId, startTime } of nodes.client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
      runs.push({ runId, startTime });
    }
    return runs.sort((one, other) => one.startTime.getTime() - other.startTime.getTime()).map(({ runId }) => runId);
  };
  const runs = await eventually(runsOf, ({ length }) => length >= 3);
  for (const [index, runId] of runs.entries()) await replay(workflowId, runId, `v1-run-${index + 1}`);
});

test('a node that was started by hand replays', async () => {
  const nodeId = randomUUID();
  const workflowId = workflowIdOf(nodeId);
  const handle = await nodes.client.workflow.start(WORKFLOW_TYPE, { workflowId, taskQueue: nodes.taskQueue });
  for (const command of [windowed(), measured(80), measured(30)])
    await handle.executeUpdate(applyCommandsUpdate, { args: [{ commands: [command] }] });
  await nodes.allPublished(nodeId);
  await replay(workflowId, undefined, 'v1-by-hand');
});
