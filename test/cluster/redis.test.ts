import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../chaos/probe';
import { isShort } from '../chaos/seed';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack } from './cluster-stack';
import { startAgain } from './machine';
import { expectNothingLost, runOnCluster, type Fault } from './on-cluster';

const { stack, tail } = withStackOf(() => startClusterStack());

/** Longer than the deadline of a call. */
const HURT_MS = 12_000;
const AWAY_MS = 3_000;
/** So long the Sentinels wait at least before they give up a primary. */
const NOT_YET_DEAD_MS = 2_000;
/** By then the APIs have noticed that Redis is silent, and the balancer that none of them is ready. */
const NOTICED_MS = 6_000;
/** The Sentinels wait between two elections; a busy machine lets them wait longer. */
const ELECTED_WITHIN_MS = 60_000;

type Server = 0 | 1;

/** The Redis server of a host and the Sentinel beside it, started again. */
const startServer = ({ cluster: { redis } }: ClusterStack, at: Server): Promise<void> =>
  startAgain(...[redis.servers[at], ...redis.sentinels.slice(at, at + 1)].map(({ own }) => own));

/** Waits until the other server is the primary. */
const elected = async ({ cluster: { redis } }: ClusterStack, former: Server): Promise<void> => {
  await eventually(redis.primaryNow, (now) => now !== former, ELECTED_WITHIN_MS);
};

/** Hurts the primary's host until the other server was elected; then `mend` brings it back. */
const primaryLost =
  (
    hurt: (of: ClusterStack, at: Server) => Promise<void> | void,
    mend: (of: ClusterStack, at: Server) => Promise<void> | void,
  ): Fault =>
  async ({ stack: of }) => {
    const at = await of.cluster.redis.primaryNow();
    await hurt(of, at);
    await Promise.all([elected(of, at), sleep(HURT_MS)]);
    await mend(of, at);
    return performance.now();
  };

const replicaKilled: Fault = async ({ stack: of }) => {
  const at = (await of.cluster.redis.primaryNow()) === 0 ? 1 : 0;
  await of.redis[at].kill();
  await sleep(AWAY_MS);
  await startServer(of, at);
  return performance.now();
};

const primaryFrozenShortly: Fault = async ({ stack: { redis, cluster } }) => {
  const primary = redis[await cluster.redis.primaryNow()];
  primary.freeze();
  await sleep(NOT_YET_DEAD_MS);
  primary.thaw();
  return performance.now();
};

const all: ReadonlyArray<{ readonly name: string; readonly fault: Fault }> = [
  { name: "kill -9 of Redis' primary", fault: primaryLost(({ redis }, at) => redis[at].kill(), startServer) },
  {
    name: "a freeze of Redis' primary",
    fault: primaryLost(
      ({ redis }, at) => {
        redis[at].freeze();
      },
      ({ redis }, at) => {
        redis[at].thaw();
      },
    ),
  },
  {
    name: "a partition of Redis' primary",
    fault: primaryLost(
      ({ redis }, at) => redis[at].silence(),
      ({ redis }, at) => redis[at].restore(),
    ),
  },
  { name: "kill -9 of Redis' replica", fault: replicaKilled },
  { name: "a short freeze of Redis' primary", fault: primaryFrozenShortly },
];

test.each(isShort ? all.slice(0, 1) : all)('$name loses and repeats nothing', async (plan) => {
  const { verdict } = await runOnCluster(stack(), tail(), plan);
  expectNothingLost(verdict);
});

test('calls go on behind the balancer while no server of Redis answers, and their events come out', async () => {
  let [from, until] = [Number.NaN, Number.NaN];
  const { verdict, setting } = await runOnCluster(stack(), tail(), {
    name: "a freeze of all of Redis' servers",
    fault: async ({ stack: { redis } }) => {
      for (const server of redis) server.freeze();
      await sleep(NOTICED_MS);
      from = performance.now();
      await sleep(HURT_MS);
      until = performance.now();
      for (const server of redis) server.thaw();
      return performance.now();
    },
  });
  const during = setting.recorder.tries.filter(({ at, called: { ms } }) => at >= from && at + ms < until);
  expect(during.length).toBeGreaterThan(20);
  expect(during.filter(({ called: { status } }) => status === 0 || status >= 500)).toEqual([]);
  expectNothingLost(verdict);
});
