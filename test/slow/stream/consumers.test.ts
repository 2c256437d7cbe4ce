import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import type { StreamLinks } from '../../../stream/connection';
import { createPublisher } from '../../../stream/partitioned-publisher';
import { partitionStreams } from '../../../stream/partitions';
import { bringUpCluster } from '../../support/redis/cluster';
import { eventSettings } from '../../support/redis/event-settings';
import { findStream, type FoundStream } from '../../support/redis/found-stream';
import { redisGround, type RedisGround } from '../../support/redis/servers';
import { compare, startLoad, type StreamLoad } from '../../support/redis/stream-load';
import { watchedPrimary } from '../../support/redis/watched-primary';

const soon = { timeout: 60_000, interval: 50 };
const GROUP = 'trail';

let ground: RedisGround;
let links: StreamLinks | undefined;
let consumers: ChildProcess[];
beforeEach(async () => {
  ground = await redisGround();
  links = undefined;
  consumers = [];
});
afterEach(async () => {
  for (const one of consumers) one.kill('SIGKILL');
  await links?.close();
  await ground.stop();
});

const find = async (...found: Parameters<typeof findStream>): Promise<FoundStream> => {
  const opened = await findStream(...found);
  ({ links } = opened);
  return opened;
};

/** Starts the example as a consumer of the group. */
const startConsumer = ({ env }: FoundStream, claimAfterMs: number): ChildProcess => {
  const started = spawn(process.execPath, ['--import', 'tsx', 'examples/consume-events.ts'], {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'], ...env, CONSUMER_GROUP: GROUP, CLAIM_AFTER_MS: String(claimAfterMs) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  consumers.push(started);
  return started;
};

/** What `ask` answers of all partitions, once all of them answer. */
const ofPartitions = <A>(
  { events, links: { links: each } }: FoundStream,
  ask: (link: StreamLinks['root'], stream: string) => Promise<A>,
): Promise<ReadonlyArray<A>> =>
  vi.waitFor(() => Promise.all(partitionStreams(events).map((stream, at) => ask(each[at]!, stream))), soon);

/** The consumers of the group by name, with how many entries each has in hand in all partitions. */
const inHand = async (found: FoundStream): Promise<ReadonlyMap<string, number>> => {
  const pages = await ofPartitions(found, ({ client }, stream) => client.xInfoConsumers(stream, GROUP));
  const counts = new Map<string, number>();
  for (const { name, pending } of pages.flat()) counts.set(name, (counts.get(name) ?? 0) + pending);
  return counts;
};

/** The ids in the trails of the group, by node, in the order in which they took effect. */
const effects = async (found: FoundStream): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const trails = await ofPartitions(found, ({ client }, stream) => client.lRange(`${stream}:${GROUP}:trail`, 0, -1));
  const byNode = new Map<string, string[]>();
  for (const line of trails.flat()) {
    const { aggregateId, sequenceId } = JSON.parse(line);
    byNode.set(aggregateId, [...(byNode.get(aggregateId) ?? []), sequenceId]);
  }
  return byNode;
};
const countOf = (byNode: ReadonlyMap<string, ReadonlyArray<unknown>>): number =>
  [...byNode.values()].reduce((count, { length }) => count + length, 0);

/** Waits until `count` more events have had their effect. */
const moreEffects = async (found: FoundStream, count: number): Promise<void> => {
  const before = countOf(await effects(found));
  await vi.waitFor(async () => expect(countOf(await effects(found))).toBeGreaterThan(before + count), soon);
};

/** Every published event has its effect once, those of a node in order; nothing is pending or set aside. */
const expectAllOnce = async (found: FoundStream, load: StreamLoad): Promise<void> => {
  const published = await load.stop();
  await vi.waitFor(async () => expect(countOf(await effects(found))).toBeGreaterThanOrEqual(countOf(published)), soon);
  const held = async () => [...(await inHand(found)).values()].reduce((sum, count) => sum + count, 0);
  await vi.waitFor(async () => expect(await held()).toBe(0), soon);
  expect(compare(published, await effects(found))).toEqual({ lost: 0, repeated: 0, disordered: 0 });
  const aside = await ofPartitions(found, ({ client }, stream) => client.exists(`${stream}:${GROUP}:aside`));
  expect(aside).toEqual(aside.map(() => 0));
};

/** The consumers run yet, and end well when they are asked to. */
const expectEnd = async (running: ReadonlyArray<ChildProcess>): Promise<void> => {
  expect(running.map(({ exitCode }) => exitCode)).toEqual(running.map(() => null));
  for (const one of running) {
    one.kill('SIGTERM');
    expect(await once(one, 'exit')).toEqual([0, null]);
  }
};

/** Two consumers under load while `hurt` takes their primary away: they go on by themselves. */
const surviveFailover = async (found: FoundStream, hurt: () => Promise<void>): Promise<void> => {
  const running = [startConsumer(found, 5_000), startConsumer(found, 5_000)];
  const load = startLoad(12, createPublisher(found.links, found.events));
  await moreEffects(found, 200);
  await hurt();
  const since = performance.now();
  await moreEffects(found, 0);
  const firstAfter = performance.now() - since;
  await moreEffects(found, 300);
  await expectAllOnce(found, load);
  console.log(`effects go on ${Math.round(firstAfter)} ms after the election; ${load.published()} events`);
  await expectEnd(running);
};

describe('consumers of a group', { timeout: 180_000 }, () => {
  test('find the new primary by Sentinels when theirs is killed: each event has its effect once, in order', async () => {
    // One replica, which is required: it has all that was published when it is elected.
    const { primary, replicas, sentinels } = await watchedPrimary(ground, 1, [], 2_000);
    const [heir] = replicas;
    const found = await find(
      { sentinels: { addresses: sentinels, master: 'main' } },
      eventSettings({ partitions: 1, replicasRequired: 1 }),
    );
    await surviveFailover(found, async () => {
      await primary.kill();
      await vi.waitFor(async () => expect(String(await heir!.ask('ROLE'))).toContain('master'), soon);
      await primary.start('--replicaof', heir!.host, String(heir!.port)); // publishing waits for a replica
    });
  });

  test('find the replica in a Redis Cluster when a primary is killed', async () => {
    const { primaries, replicas } = await bringUpCluster(ground, 3, 1);
    const found = await find(
      { clusterNodes: [...primaries, ...replicas] },
      eventSettings({ partitions: 3, replicasRequired: 1 }),
    );
    await surviveFailover(found, async () => {
      await primaries[0]!.kill();
      await vi.waitFor(async () => expect(String(await replicas[0]!.ask('ROLE'))).toContain('master'), soon);
      await primaries[0]!.start(); // with a replica required, publishing waits for it
    });
  });

  test('take over the entries of a dead one in a Redis Cluster, in all partitions', async () => {
    const { primaries } = await bringUpCluster(ground, 3, 0);
    const found = await find({ clusterNodes: primaries }, eventSettings({ partitions: 3 }));
    const victim = startConsumer(found, 2_000);
    await vi.waitFor(async () => expect((await inHand(found)).size).toBe(3), soon);
    const itsNames = [...(await inHand(found)).keys()];
    const survivor = startConsumer(found, 2_000);
    await vi.waitFor(async () => expect((await inHand(found)).size).toBe(6), soon);
    const load = startLoad(12, createPublisher(found.links, found.events));
    await moreEffects(found, 100);
    await vi.waitFor(async () => {
      victim.kill('SIGSTOP'); // what it has in hand now, it has when it is killed
      const hands = await inHand(found);
      const left = itsNames.filter((name) => (hands.get(name) ?? 0) > 0);
      if (left.length < 2) victim.kill('SIGCONT');
      expect(left.length).toBeGreaterThanOrEqual(2);
    }, soon);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    await moreEffects(found, 300);
    await expectAllOnce(found, load);
    await expectEnd([survivor]);
  });
});
