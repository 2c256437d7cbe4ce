import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack } from './cluster-stack';
import { startAgain } from './machine';
import { expectNothingLost, runOnCluster, type Fault } from './on-cluster';

const { stack, tail } = withStackOf(() => startClusterStack());

const AWAY_MS = 3_000;
/** Longer than the deadline of a call. */
const FROZEN_MS = 12_000;

/** With it goes the Sentinel on its host. */
const balancerKilled: Fault = async ({ stack: { balancer, cluster } }) => {
  await balancer.kill();
  await sleep(AWAY_MS);
  const endedAt = performance.now();
  await startAgain(...[cluster.balancer, ...cluster.redis.sentinels.slice(2)].map(({ own }) => own));
  return endedAt;
};

const balancerFrozen: Fault = async ({ stack: { balancer } }) => {
  balancer.freeze();
  await sleep(FROZEN_MS);
  balancer.thaw();
  return performance.now();
};

test.each([
  { name: 'kill -9 of the balancer', fault: balancerKilled },
  { name: 'a freeze of the balancer', fault: balancerFrozen },
])('$name loses and repeats nothing', async (plan) => {
  const { verdict } = await runOnCluster(stack(), tail(), plan);
  expectNothingLost(verdict);
});
