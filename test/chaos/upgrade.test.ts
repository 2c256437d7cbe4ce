import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workflowIdOf } from '../../workflows/messages';
import { commandOf } from './load/requests';
import { eventually } from './probe';
import { runScenario, type Setting } from './scenario';
import { seed } from './seed';
import { buildRelease } from './upgrade/build-release';
import { withStack } from './with-stack';

const deployment = 'point-alarm';
const first = { WORKER_DEPLOYMENT: deployment, WORKER_BUILD_ID: '1.0.0' };
const next = { WORKER_DEPLOYMENT: deployment, WORKER_BUILD_ID: '1.1.0' };
const { stack, tail } = withStack({ env: first, whenUp: ({ client }) => makeCurrent(client, first.WORKER_BUILD_ID) });

type Client = ReturnType<typeof stack>['client'];

/** What `temporal worker deployment set-current-version` does; the server learns of a version when its worker first polls. */
const makeCurrent = async ({ workflowService }: Client, buildId: string): Promise<void> => {
  const ask = (): Promise<string> =>
    workflowService
      .setWorkerDeploymentCurrentVersion({
        namespace: 'default',
        deploymentName: deployment,
        buildId,
        identity: 'test',
      })
      .then(
        () => 'done',
        (error: unknown) => String(error),
      );
  await eventually(ask, (answer) => answer === 'done', 30_000);
};

const versionOf = async (nodeId: string): Promise<string> => {
  const { workflowExecutionInfo } = await stack().client.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId: workflowIdOf(nodeId) },
  });
  return workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? 'none';
};

/** The releases that the runs in flight began with. */
const releasesOf = async (nodes: ReadonlyArray<string>): Promise<ReadonlySet<string>> =>
  new Set(
    await Promise.all(
      nodes.map((nodeId) => stack().client.workflow.getHandle(workflowIdOf(nodeId)).query<string>('release')),
    ),
  );

/** Enough writes for a node to continue as new. */
const fillRun = async ({ recorder, requests, stack: of, random }: Setting, nodeId: string): Promise<void> => {
  const handle = of.client.workflow.getHandle(workflowIdOf(nodeId));
  for (let group = 0; group < 9; group += 1) {
    const writes = Array.from({ length: 60 }, () => ({ id: random.uuid(), asked: requests.measurement() }));
    const sentAt = performance.now();
    const commands = writes.map(({ id, asked }) => ({ ...commandOf(asked), userId: id, idempotencyKey: id }));
    await handle.executeUpdate('applyCommands', { args: [{ commands }] });
    const answeredAt = performance.now();
    for (const { id, asked } of writes)
      recorder.writes.push({ id, nodeId, asked, sentAt, answeredAt, answer: 'acknowledged' });
  }
};

test('a next release takes over running nodes under load, and no caller notices', async () => {
  const entry = await buildRelease(join(stack().folder, 'next'), join(__dirname, 'upgrade/next.workflow.ts'));
  const { verdict, setting } = await runScenario(stack(), tail(), {
    name: 'upgrade',
    seed,
    callers: 8,
    keyed: 0,
    fault: async (running) => {
      const { nodes, stack: of } = running;
      expect(new Set(await Promise.all(nodes.map(versionOf)))).toEqual(new Set([first.WORKER_BUILD_ID]));
      const workers = [await of.startWorker({ entry, env: next }), await of.startWorker({ entry, env: next })];
      await Promise.all(workers.map(({ ready }) => ready()));
      await makeCurrent(of.client, next.WORKER_BUILD_ID);
      await Promise.all(
        nodes.map((nodeId) => running.recorder.send(nodeId, running.requests.external(), { keyed: false })),
      );
      await eventually(
        () => Promise.all(nodes.map(versionOf)),
        (versions) => versions.every((version) => version === next.WORKER_BUILD_ID),
        30_000,
      );
      expect(await releasesOf(nodes)).toEqual(new Set(['first']));
      for (const worker of of.workers) expect(await worker.terminate()).toMatchObject({ exit: 'exit code 0' });
      const [renewed = ''] = nodes;
      await fillRun(running, renewed);
      await eventually(
        () => releasesOf([renewed]),
        (releases) => releases.has('next'),
        10_000,
      );
      return performance.now();
    },
  });
  const failed = setting.recorder.tries.filter(({ called: { status } }) => status === 0 || status >= 500);
  expect(failed.map(({ called }) => called)).toEqual([]);
  expect(verdict.breaches).toEqual([]);
  expect(verdict.unknown).toBe(0);
});
