import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { isShort } from '../chaos/seed';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack } from './cluster-stack';
import { startAgain, type Machine } from './machine';
import { expectNothingLost, runOnCluster, type Fault } from './on-cluster';

const { stack, tail } = withStackOf(() => startClusterStack());

/** Longer than the deadline of a call. */
const HURT_MS = 12_000;
const AWAY_MS = 3_000;

/** A host that may be hurt. Of most there are two, and the other one takes over. */
interface Hurt {
  readonly name: string;
  readonly machine: (of: ClusterStack) => Machine;
  readonly start: (of: ClusterStack) => Promise<void>;
  /** It is started again while the callers call. */
  readonly hasNoOther?: true;
}

const hosts: ReadonlyArray<Hurt> = [
  ...([0, 1] as const).map((at) => ({
    name: `Temporal host ${at + 1}`,
    machine: (of: ClusterStack) => of.temporal[at],
    start: (of: ClusterStack) => startAgain(of.cluster.temporal[at].own),
  })),
  {
    name: 'a worker host',
    machine: ({ workers }) => workers[0].machine,
    start: ({ workers }) => workers[0].startIfGone(),
  },
  { name: 'an API host', machine: ({ apis }) => apis[0].machine, start: ({ apis }) => apis[0].startIfGone() },
  {
    name: 'the balancer',
    machine: ({ balancer }) => balancer,
    // With it goes the Sentinel on its host.
    start: ({ cluster: { balancer, redis } }) =>
      startAgain(...[balancer, ...redis.sentinels.slice(2)].map(({ own }) => own)),
    hasNoOther: true,
  },
];

const hurts: Readonly<Record<string, (host: Hurt) => Fault>> = {
  'kill -9 of': (host) => async (setting) => {
    await host.machine(setting.stack).kill();
    if (host.hasNoOther !== true) return performance.now();
    await sleep(AWAY_MS);
    const endedAt = performance.now();
    await host.start(setting.stack);
    return endedAt;
  },
  'a freeze of': (host) => async (setting) => {
    const machine = host.machine(setting.stack);
    machine.freeze();
    await sleep(HURT_MS);
    machine.thaw();
    return performance.now();
  },
  'a partition of': (host) => async (setting) => {
    const machine = host.machine(setting.stack);
    await machine.silence();
    await sleep(HURT_MS);
    await machine.restore();
    return performance.now();
  },
};

const all = hosts.flatMap((host) =>
  Object.entries(hurts)
    .filter(([hurt]) => hurt !== 'a partition of' || host.hasNoOther !== true) // callers would be cut off, too
    .map(([hurt, fault]) => ({ name: `${hurt} ${host.name}`, host, fault: fault(host) })),
);

/** The short form hurts the host without which half of the nodes stand still. */
const plans = isShort ? all.filter(({ name }) => /(kill|partition).*of Temporal host 1/.test(name)) : all;

test.each(plans)('$name loses and repeats nothing', async ({ name, host, fault }) => {
  const { verdict } = await runOnCluster(stack(), tail(), { name, fault });
  expectNothingLost(verdict);
  if (host.machine(stack()).host.processes().length === 0) await host.start(stack());
});

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
