import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WORKFLOW_TYPE, workflowIdOf } from '../../../workflows/messages';
import { bringUpNodes, eventually } from './nodes';

test('a node that a defect would end waits with its state for a release that mends it', async () => {
  const nodes = await bringUpNodes({ workflowsPath: join(__dirname, 'ending.workflow.ts') });
  onTestFinished(() => nodes.stop());
  const workflowId = workflowIdOf(randomUUID());
  const handle = await nodes.client.workflow.start(WORKFLOW_TYPE, { workflowId, taskQueue: nodes.taskQueue });
  const failedTask = async (): Promise<string | null | undefined> =>
    (await handle.fetchHistory()).events?.find(({ workflowTaskFailedEventAttributes: failed }) => failed)
      ?.workflowTaskFailedEventAttributes?.failure?.message;
  expect(await eventually(failedTask, (message) => message !== undefined)).toMatch(/a node must not end: .*cancelled/u);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  await handle.terminate();
});
