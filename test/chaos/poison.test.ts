import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCaller } from './load/call';
import { eventually, readiness } from './probe';
import { withStack } from './with-stack';

const { stack } = withStack();

test('a workflow task that fails shows in a metric and in what /readyz tells, and the worker goes on', async () => {
  const caller = createCaller();
  const [worker, other] = stack().workers;
  await other.kill();
  const said = async (): Promise<readonly [number, number]> => {
    const { status, body } = await readiness(caller, worker.url);
    return [status, (JSON.parse(body) as { readonly failedWorkflowTasks: number }).failedWorkflowTasks];
  };
  expect(await said()).toEqual([200, 0]);
  const handle = await stack().client.workflow.start('nobodyKnowsThisType', {
    taskQueue: 'point-alarm',
    workflowId: `poison-${randomUUID()}`,
    args: [],
  });
  await eventually(said, ([status, failed]) => status === 200 && failed > 0, 15_000);
  const { body } = await caller.call(worker.url, { method: 'GET', path: '/metrics', headers: {} });
  expect(body).toMatch(/^temporal_workflow_task_execution_failed_total\{.*\} [1-9]/mu);
  await handle.terminate();
  caller.close();
});
