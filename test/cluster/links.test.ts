import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FRONTEND_PORT } from './hosts/temporal-host';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack } from './cluster-stack';
import type { Machine } from './machine';
import { expectNothingLost, runOnCluster, type Fault } from './on-cluster';

const { stack, tail } = withStackOf(() => startClusterStack());

/** Longer than the deadline of a call. */
const HURT_MS = 12_000;
/** Shorter than Temporal's hosts take until each has given up the other and takes its shards, about 12 s (docs/guarantees.md, "How long a fault is felt"). */
const NOT_GIVEN_UP_MS = 8_000;
/** In a thousand packets, each way: TCP repeats them, slower each time. */
const LOST = 50;
const ALL = 1_000;

type End = (of: ClusterStack) => Machine | Promise<Machine>;

const primary: End = async ({ redis, cluster }) => redis[await cluster.redis.primaryNow()];
const replica: End = async ({ redis, cluster }) => redis[(await cluster.redis.primaryNow()) === 0 ? 1 : 0];

/** What talks to what, from its one end. */
interface Link {
  readonly name: string;
  readonly from: End;
  readonly to: End;
  /** How long it is cut (ms), where not `HURT_MS`. */
  readonly cutMs?: number;
}

const links: ReadonlyArray<Link> = [
  { name: 'an API and Temporal', from: ({ apis }) => apis[0].machine, to: ({ balancer }) => balancer },
  { name: 'a worker and Temporal', from: ({ workers }) => workers[0].machine, to: ({ balancer }) => balancer },
  { name: 'an API and Redis', from: ({ apis }) => apis[0].machine, to: primary },
  { name: 'a worker and Redis', from: ({ workers }) => workers[0].machine, to: primary },
  { name: 'the balancer and a Temporal host', from: ({ balancer }) => balancer, to: ({ temporal }) => temporal[0] },
  {
    name: 'the Temporal hosts',
    from: ({ temporal }) => temporal[0],
    to: ({ temporal }) => temporal[1],
    cutMs: NOT_GIVEN_UP_MS,
  },
  { name: 'a Temporal host and PostgreSQL', from: ({ temporal }) => temporal[0], to: ({ database }) => database },
  { name: 'Redis and its replica', from: replica, to: primary },
];

const losing =
  ({ from, to, cutMs = HURT_MS }: Link, perMille: number): Fault =>
  async ({ stack: of }) => {
    const [near, far] = [await from(of), await to(of)];
    await near.lose(perMille, far.host);
    await sleep(perMille === ALL ? cutMs : HURT_MS);
    await near.restore();
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

/** Longer than the SDK's own keep-alive takes, 45 s. */
const SILENT_MS = 50_000;
const COSTS_AT_MOST_MS = 10_000;

test('connections to Temporal that go silent, and stay open, cost callers ten seconds at most', async () => {
  const { verdict, row } = await runOnCluster(stack(), tail(), {
    name: 'silent connections to Temporal',
    pauseMs: 600,
    fault: async ({ stack: { apis, workers, balancer } }) => {
      const all = [...apis, ...workers];
      const silenced = all.map(({ machine }) => machine.silenceConnections(balancer.host, FRONTEND_PORT));
      expect(Math.min(...(await Promise.all(silenced)))).toBeGreaterThan(0);
      await sleep(SILENT_MS);
      await Promise.all(all.map(({ machine }) => machine.restore()));
      return performance.now();
    },
  });
  expectNothingLost(verdict);
  expect(row.waits?.longest).toBeLessThan(COSTS_AT_MOST_MS);
});
