import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../chaos/probe';
import { isShort } from '../chaos/seed';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack } from './cluster-stack';
import { MAX_CONNECTIONS, POSTGRES_PASSWORD, POSTGRES_PORT, POSTGRES_USER } from './hosts/postgres';
import { DATABASES } from './hosts/temporal-host';
import { startAgain, type Machine } from './machine';
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

/** A machine to be hurt, and how what ran on it is started again. */
interface Target {
  readonly machine: Machine;
  readonly start: () => Promise<void>;
  /** What else must have come about before the harm ends. */
  readonly lasts?: () => Promise<unknown>;
}

/** A part of the cluster. */
interface Part {
  readonly name: string;
  readonly find: (of: ClusterStack) => Target | Promise<Target>;
  readonly hurts: ReadonlyArray<keyof typeof hurts>;
  /** After so long (ms) it is started again, where no other one takes over; absent: once all works without it. */
  readonly awayMs?: number;
}

/** Ways to hurt a machine. Each resolves to the moment when the harm ended. */
const hurts = {
  'kill -9': async ({ machine, start, lasts }: Target, { awayMs }: Part): Promise<number> => {
    await machine.kill();
    if (awayMs === undefined) return performance.now();
    await Promise.all([sleep(awayMs), lasts?.()]);
    const endedAt = performance.now();
    await start();
    return endedAt;
  },
  'a freeze': async ({ machine, lasts }: Target): Promise<number> => {
    machine.freeze();
    await Promise.all([sleep(HURT_MS), lasts?.()]);
    machine.thaw();
    return performance.now();
  },
  'a short freeze': async ({ machine }: Target): Promise<number> => {
    machine.freeze();
    await sleep(NOT_YET_DEAD_MS);
    machine.thaw();
    return performance.now();
  },
  'a partition': async ({ machine, lasts }: Target): Promise<number> => {
    await machine.silence();
    await Promise.all([sleep(HURT_MS), lasts?.()]);
    await machine.restore();
    return performance.now();
  },
};

/** A server of Redis with the Sentinel beside it: the primary, or its replica. */
const redisServer = async (of: ClusterStack, isPrimary: boolean): Promise<Target> => {
  const { servers, sentinels, primaryNow } = of.cluster.redis;
  const primary = await primaryNow();
  const at = isPrimary ? primary : primary === 0 ? 1 : 0;
  return {
    machine: of.redis[at],
    start: () => startAgain(...[servers[at], ...sentinels.slice(at, at + 1)].map(({ own }) => own)),
    ...(isPrimary && { lasts: () => eventually(primaryNow, (now) => now !== at, ELECTED_WITHIN_MS) }),
  };
};

const startDatabase = ({ cluster, database }: ClusterStack): Promise<void> =>
  database.host.processes().length === 0 ? cluster.postgres.own.restart() : Promise.resolve();

const all = ['kill -9', 'a freeze', 'a partition'] as const;
const parts: ReadonlyArray<Part> = [
  ...([0, 1] as const).map((at) => ({
    name: `Temporal host ${at + 1}`,
    find: (of: ClusterStack) => ({ machine: of.temporal[at], start: () => startAgain(of.cluster.temporal[at].own) }),
    hurts: all,
  })),
  {
    name: 'a worker host',
    find: ({ workers: [{ machine, startIfGone }] }) => ({ machine, start: startIfGone }),
    hurts: all,
  },
  {
    name: 'an API host',
    find: ({ apis: [{ machine, startIfGone }] }) => ({ machine, start: startIfGone }),
    hurts: all,
  },
  {
    name: 'the balancer',
    // With it goes the Sentinel on its host. A partition would cut callers off, too.
    find: ({ balancer: machine, cluster: { balancer, redis } }) => ({
      machine,
      start: () => startAgain(...[balancer, ...redis.sentinels.slice(2)].map(({ own }) => own)),
    }),
    hurts: ['kill -9', 'a freeze'],
    awayMs: AWAY_MS,
  },
  {
    name: 'PostgreSQL',
    find: (of) => ({ machine: of.database, start: () => startDatabase(of) }),
    hurts: ['kill -9', 'a freeze'],
    awayMs: AWAY_MS,
  },
  { name: "Redis' primary", find: (of) => redisServer(of, true), hurts: [...all, 'a short freeze'], awayMs: HURT_MS },
  { name: "Redis' replica", find: (of) => redisServer(of, false), hurts: ['kill -9'], awayMs: AWAY_MS },
];

/** Takes every connection that PostgreSQL has left. */
const crowded: Fault = async ({ stack: { cluster, apis } }) => {
  const { host } = apis[0].machine;
  const url = `postgresql://${POSTGRES_USER}:${POSTGRES_PASSWORD}@${cluster.postgres.host.address}:${POSTGRES_PORT}/${DATABASES.temporal}`;
  const psql = `psql ${url} -qAt -c 'select pg_sleep(${HURT_MS / 1_000})'`;
  const outcome = await host.run(
    'sh',
    '-c',
    `for i in $(seq ${MAX_CONNECTIONS}); do (${psql} 2>&1 >/dev/null | grep -c 'too many\\|remaining connection slots' || :) & done; wait`,
  );
  expect(outcome.split('\n').filter((line) => line === '1').length).toBeGreaterThan(0);
  return performance.now();
};

/** Fills the disk, and frees it again. PostgreSQL ends itself where it cannot write its log. */
const full: Fault = async ({ stack: of }) => {
  const { host } = of.database;
  const filling = join(of.cluster.postgres.disk, 'filling');
  await host.run(
    'sh',
    '-c',
    `head -c 1T /dev/zero > ${filling} 2>/dev/null; test "$(df --output=avail ${filling} | tail -1)" -lt 64`,
  );
  await sleep(HURT_MS);
  await host.run('rm', filling);
  await startDatabase(of);
  return performance.now();
};

/** The end of all power; everything starts again at once and under load. */
const coldStart: Fault = async ({ stack: { cluster, temporal, redis, database, balancer, apis, workers } }) => {
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
};

interface Row {
  readonly name: string;
  readonly fault: Fault;
  /** Starts what the fault left dead. */
  readonly mend?: (of: ClusterStack) => Promise<void>;
}

const rows: ReadonlyArray<Row> = [
  ...parts.flatMap((part) =>
    part.hurts.map((hurt) => ({
      name: `${hurt} of ${part.name}`,
      fault: async ({ stack: of }: Parameters<Fault>[0]) => hurts[hurt](await part.find(of), part),
      mend: async (of: ClusterStack): Promise<void> => {
        const { machine, start } = await part.find(of);
        if (machine.host.processes().length === 0) await start();
      },
    })),
  ),
  { name: 'a storm of connections to PostgreSQL', fault: crowded },
  { name: 'a full disk of PostgreSQL', fault: full },
  { name: 'a cold start of everything', fault: coldStart },
];
/** The short form hurts each kind of server once, and twice the host without which half of the nodes stand still. */
const SHORT =
  /^(kill -9 of (Temporal host 1|PostgreSQL|Redis' primary)|a partition of Temporal host 1|a cold start.*)$/u;

test.each(rows.filter(({ name }) => !isShort || SHORT.test(name)))(
  '$name loses and repeats nothing',
  async ({ mend, ...plan }) => {
    const { verdict } = await runOnCluster(stack(), tail(), plan);
    expectNothingLost(verdict);
    await mend?.(stack());
  },
);

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
