import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack } from './cluster-stack';
import type { Machine } from './machine';
import { expectNothingLost, runOnCluster, type Fault } from './on-cluster';

const { stack, tail } = withStackOf(() => startClusterStack());

/** Longer than the deadline of a call. */
const HURT_MS = 12_000;
/** In a thousand packets, each way: TCP repeats them, slower each time. */
const LOST = 50;
const ALL = 1_000;

/** What talks to what, from its one end. */
interface Link {
  readonly name: string;
  readonly from: (of: ClusterStack) => Machine;
  readonly to: (of: ClusterStack) => Machine;
}

const links: ReadonlyArray<Link> = [
  { name: 'an API and Temporal', from: ({ apis }) => apis[0].machine, to: ({ balancer }) => balancer },
  { name: 'a worker and Temporal', from: ({ workers }) => workers[0].machine, to: ({ balancer }) => balancer },
  { name: 'an API and Redis', from: ({ apis }) => apis[0].machine, to: ({ redis }) => redis[0] },
  { name: 'a worker and Redis', from: ({ workers }) => workers[0].machine, to: ({ redis }) => redis[0] },
  { name: 'the balancer and a Temporal host', from: ({ balancer }) => balancer, to: ({ temporal }) => temporal[0] },
  { name: 'the Temporal hosts', from: ({ temporal }) => temporal[0], to: ({ temporal }) => temporal[1] },
  { name: 'a Temporal host and PostgreSQL', from: ({ temporal }) => temporal[0], to: ({ database }) => database },
  { name: 'Redis and its replica', from: ({ redis }) => redis[0], to: ({ redis }) => redis[1] },
];

const losing =
  ({ from, to }: Link, perMille: number): Fault =>
  async ({ stack: of }) => {
    await from(of).lose(perMille, to(of).host);
    await sleep(HURT_MS);
    await from(of).restore();
    return performance.now();
  };

const plans = links.flatMap((link) => [
  { name: `5 % loss between ${link.name}`, fault: losing(link, LOST) },
  { name: `no link between ${link.name}`, fault: losing(link, ALL) },
]);

test.each(plans)('$name loses and repeats nothing', async (plan) => {
  const { verdict } = await runOnCluster(stack(), tail(), plan);
  expectNothingLost(verdict);
});
