import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { POSTGRES_PORT } from './hosts/postgres';
import { REDIS_PORT } from './hosts/redis-group';
import { FRONTEND_PORT } from './hosts/temporal-host';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack } from './cluster-stack';
import type { Machine } from './machine';
import { slowDown } from './slow-link';
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
  /** By which Temporal's hosts know each other. Cut, it is not survived within a minute (docs/reliability.md, "On a cluster"). */
  readonly isMembership?: boolean;
  /** Of the one end's connections, where it is one. */
  readonly port?: number;
}

const links: ReadonlyArray<Link> = [
  {
    name: 'an API and Temporal',
    from: ({ apis }) => apis[0].machine,
    to: ({ balancer }) => balancer,
    port: FRONTEND_PORT,
  },
  {
    name: 'a worker and Temporal',
    from: ({ workers }) => workers[0].machine,
    to: ({ balancer }) => balancer,
    port: FRONTEND_PORT,
  },
  { name: 'an API and Redis', from: ({ apis }) => apis[0].machine, to: ({ redis }) => redis[0], port: REDIS_PORT },
  {
    name: 'a worker and Redis',
    from: ({ workers }) => workers[0].machine,
    to: ({ redis }) => redis[0],
    port: REDIS_PORT,
  },
  {
    name: 'the balancer and a Temporal host',
    from: ({ balancer }) => balancer,
    to: ({ temporal }) => temporal[0],
    port: FRONTEND_PORT,
  },
  {
    name: 'the Temporal hosts',
    from: ({ temporal }) => temporal[0],
    to: ({ temporal }) => temporal[1],
    isMembership: true,
  },
  {
    name: 'a Temporal host and PostgreSQL',
    from: ({ temporal }) => temporal[0],
    to: ({ database }) => database,
    port: POSTGRES_PORT,
  },
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

/** Each way, as between regions. */
const LATENCY = { latency: 100, jitter: 50 };

const slowed =
  ({ from, to }: Link, port: number): Fault =>
  async ({ stack: of }) => {
    const mend = await slowDown({ from: from(of).host, to: to(of).host, port }, LATENCY, of);
    await sleep(HURT_MS);
    expect(await mend()).toBe(true);
    return performance.now();
  };

const slow = links.flatMap((link) =>
  link.port === undefined ? [] : [{ name: `100 ms latency between ${link.name}`, fault: slowed(link, link.port) }],
);

const plans = links.flatMap((link) => [
  { name: `5 % loss between ${link.name}`, fault: losing(link, LOST) },
  ...(link.isMembership === true ? [] : [{ name: `no link between ${link.name}`, fault: losing(link, ALL) }]),
]);

test.each([...slow, ...plans])('$name loses and repeats nothing', async (plan) => {
  const { verdict } = await runOnCluster(stack(), tail(), plan);
  expectNothingLost(verdict);
});
