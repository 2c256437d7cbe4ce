import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createNamespace, createSearchAttribute, NAMESPACE, type Cluster } from './hosts/cluster';
import { WORKFLOW_TYPE } from '../../workflows/messages';
import { eventually } from '../chaos/probe';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack } from './cluster-stack';
import { startAgain } from './machine';
import { expectNothingLost, runOnCluster } from './on-cluster';

const REMOVED = ['operator', 'search-attribute', 'remove', '--namespace', NAMESPACE, '--name', 'Taken1', '--yes'];
/** An API tries a minute after the last refusal, and hosts look once a minute. */
const KEPT_WITHIN_MS = 300_000;
const CALLED_EVERY_MS = 15_000;
/** How soon nodes of the first minute can be found by their status. */
const FOUND_WITHIN_MS = 30_000;

/** PostgreSQL has room for so many search attributes of this type. */
const takeAllSearchAttributes = async (cluster: Cluster): Promise<void> => {
  for (const number of [1, 2, 3]) await createSearchAttribute(cluster, `Taken${number}`);
};

const nodesFoundBy = async ({ operator }: Cluster, more: string): Promise<number> => {
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'${more}`;
  return Number(/\d+/.exec(await operator('count', 'workflow', 'count', '--query', query))?.[0]);
};

describe('while a cluster is new', () => {
  const { stack, tail } = withStackOf(() => startClusterStack({ unregistered: true }));

  test('the search attribute and a host are missing; calls are not', async () => {
    const registered = sleep(1_000).then(() => createNamespace(stack().cluster));
    const { verdict, setting } = await runOnCluster(stack(), tail(), {
      name: 'the first minute of a cluster, with a fault',
      fault: async ({ stack: { temporal, cluster } }) => {
        await temporal[1].kill();
        const endedAt = performance.now();
        await startAgain(cluster.temporal[1].own);
        return endedAt;
      },
    });
    await registered;
    expectNothingLost(verdict);
    await eventually(
      () => nodesFoundBy(stack().cluster, ' AND PointAlarmStatus >= 0'),
      (found) => found === setting.nodes.length,
      FOUND_WITHIN_MS,
    );
  });
});

describe('where the search attribute is refused', () => {
  const { stack, tail } = withStackOf(() => startClusterStack({ unregistered: true }));

  test('every node takes calls all the same, and keeps it once it is taken', async () => {
    const { cluster } = stack();
    await createNamespace(cluster);
    await takeAllSearchAttributes(cluster);
    const { verdict, setting } = await runOnCluster(stack(), tail(), {
      name: 'a cluster that refuses the search attribute',
      fault: () => Promise.resolve(performance.now()),
    });
    expectNothingLost(verdict);
    expect(verdict.unknown).toBe(0);
    expect(await nodesFoundBy(cluster, '')).toBe(setting.nodes.length);

    await cluster.operator('room for the attribute', ...REMOVED);
    await createSearchAttribute(cluster);
    const foundByStatus = async (): Promise<number> => {
      for (const nodeId of setting.nodes)
        await setting.recorder.send(nodeId, setting.asks.external(), { keyed: false });
      await sleep(CALLED_EVERY_MS);
      return nodesFoundBy(cluster, ' AND PointAlarmStatus >= 0');
    };
    await eventually(foundByStatus, (found) => found === setting.nodes.length, KEPT_WITHIN_MS);
  });
});
