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

/** A host of which there are two: the other one takes over. */
interface OneOfTwo {
  readonly name: string;
  readonly machine: (of: ClusterStack) => Machine;
  readonly start: (of: ClusterStack) => Promise<void>;
}

const hosts: ReadonlyArray<OneOfTwo> = [
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
];

const hurts: Readonly<Record<string, (host: OneOfTwo) => Fault>> = {
  'kill -9 of': (host) => async (setting) => {
    await host.machine(setting.stack).kill();
    return performance.now();
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
  Object.entries(hurts).map(([hurt, fault]) => ({ name: `${hurt} ${host.name}`, host, fault: fault(host) })),
);

/** The short form hurts the host without which half of the nodes stand still. */
const plans = isShort ? all.filter(({ name }) => /(kill|partition).*of Temporal host 1/.test(name)) : all;

test.each(plans)('$name loses and repeats nothing', async ({ name, host, fault }) => {
  const { verdict } = await runOnCluster(stack(), tail(), { name, fault });
  expectNothingLost(verdict);
  if (host.machine(stack()).host.processes().length === 0) await host.start(stack());
});
