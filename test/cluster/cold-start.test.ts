import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack } from './cluster-stack';
import { startAgain } from './machine';
import { expectNothingLost, runOnCluster } from './on-cluster';

const { stack, tail } = withStackOf(() => startClusterStack());

test('a cluster that lost its power and starts again, all at once and under load, loses and repeats nothing', async () => {
  const { verdict } = await runOnCluster(stack(), tail(), {
    name: 'a cold start of everything',
    fault: async ({ stack: { cluster, temporal, redis, database, balancer, apis, workers } }) => {
      const servers = [...temporal, ...redis, database, balancer];
      await Promise.all([...servers, ...apis, ...workers].map(({ kill }) => kill()));
      await sleep(2_000);
      const endedAt = performance.now();
      const { servers: redisServers, sentinels } = cluster.redis;
      const members = [cluster.postgres, cluster.balancer, ...cluster.temporal, ...redisServers, ...sentinels];
      await Promise.all([
        startAgain(...members.map(({ own }) => own)),
        ...[...apis, ...workers].map(({ start }) => start()),
      ]);
      return endedAt;
    },
  });
  expectNothingLost(verdict);
});
