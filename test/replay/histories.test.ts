import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleWorkflows } from '../../worker/workflow-code';

// What the careless workflow breaks is expected here, line by line.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

const folder = join(__dirname, 'histories');
const histories = readdirSync(folder).map((name) => {
  const { workflowId, history } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
    readonly workflowId: string;
    readonly history: unknown;
  };
  return { name, workflowId, history };
});

describe('the histories of released nodes', () => {
  let workflowBundle: { readonly code: string };
  beforeAll(async () => {
    workflowBundle = await bundleWorkflows();
  });
  test.each(histories)('$name replays', async ({ workflowId, history }) => {
    await expect(Worker.runReplayHistory({ workflowBundle }, history, workflowId)).resolves.toBeUndefined();
  });
});

describe('a workflow that was changed without care', () => {
  let workflowBundle: { readonly code: string };
  beforeAll(async () => {
    workflowBundle = await bundleWorkflows(join(__dirname, 'careless.workflow.ts'));
  });
  test.each(histories)('$name does not replay', async ({ workflowId, history }) => {
    await expect(Worker.runReplayHistory({ workflowBundle }, history, workflowId)).rejects.toThrow('TMPRL1100');
  });
});
