import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPublisher } from '../../../stream/append';
import type { RedisLink } from '../../../stream/connection';
import { bringUpCluster } from '../../support/redis/cluster';
import { eventSettings } from '../../support/redis/event-settings';
import { findStream, type FoundStream } from '../../support/redis/found-stream';
import { redisGround, type RedisGround } from '../../support/redis/servers';
import { compare, startLoad, type StreamLoad } from '../../support/redis/stream-load';
import { watchedPrimary } from '../../support/redis/watched-primary';
import { runNode, type RunningProcess } from '../../support/run-node';

const soon = { timeout: 60_000, interval: 50 };
const GROUP = 'trail';

let ground: RedisGround;
let link: RedisLink | undefined;
let consumers: RunningProcess[];
beforeEach(async () => {
  ground = await redisGround();
  link = undefined;
  consumers = [];
});
afterEach(async () => {
  await Promise.all(consumers.map(({ stop }) => stop()));
  await link?.close();
  await ground.stop();
});

const find = async (...found: Parameters<typeof findStream>): Promise<FoundStream> => {
  const opened = await findStream(...found);
  ({ link } = opened);
  return opened;
};

/** Starts the example as a consumer of the group. */
const startConsumer = ({ env }: FoundStream, claimAfterMs: number): RunningProcess => {
  const settings = { ...env, CONSUMER_GROUP: GROUP, CLAIM_AFTER_MS: String(claimAfterMs) };
  const started = runNode(['--import', 'tsx', 'docs/examples/consume-events.ts'], {
    PATH: process.env['PATH'],
    ...settings,
  });
  consumers.push(started);
  return started;
};

/** What `ask` answers of the stream, once it answers. */
const asked = <A>({ events, link }: FoundStream, ask: (client: RedisLink['client'], stream: string) => Promise<A>) =>
  vi.waitFor(() => ask(link.client, events.stream), soon); // another client once the primary is another

/** The consumers of the group by name, with how many entries each has in hand. */
const inHand = async (found: FoundStream): Promise<ReadonlyMap<string, number>> => {
  const consumers = await asked(found, (client, stream) => client.xInfoConsumers(stream, GROUP));
  return new Map(consumers.map(({ name, pending }) => [name, pending]));
};

/** The ids in the trail of the group, by node, in the order in which they took effect. */
const effects = async (found: FoundStream): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const trail = await asked(found, (client, stream) => client.lRange(`${stream}:${GROUP}:trail`, 0, -1));
  const byNode = new Map<string, string[]>();
  for (const line of trail) {
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
  expect(await asked(found, (client, stream) => client.exists(`${stream}:${GROUP}:aside`))).toBe(0);
};

/** The consumers run yet, and end well when they are asked to. */
const expectEnd = async (running: ReadonlyArray<RunningProcess>): Promise<void> => {
  expect(running.map(({ isRunning }) => isRunning())).toEqual(running.map(() => true));
  for (const one of running) {
    one.signal('SIGTERM');
    expect(await one.exited, one.said()).toBe(0);
  }
};

/** Two consumers under load while `hurt` takes their primary away: they go on by themselves. */
const surviveFailover = async (found: FoundStream, hurt: () => Promise<void>): Promise<void> => {
  const running = [startConsumer(found, 5_000), startConsumer(found, 5_000)];
  const load = startLoad(12, createPublisher(found.link, found.events));
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
      eventSettings({ replicasRequired: 1 }),
    );
    await surviveFailover(found, async () => {
      await primary.kill();
      await vi.waitFor(async () => expect(String(await heir!.ask('ROLE'))).toContain('master'), soon);
      await primary.restart('--replicaof', heir!.host, String(heir!.port)); // publishing waits for a replica
    });
  });

  test('find the replica in a Redis Cluster when a primary is killed', async () => {
    const { primaries, replicas } = await bringUpCluster(ground, 3, 1);
    const found = await find(
      { clusterNodes: [...primaries, ...replicas] },
      eventSettings({ stream: '{events}', replicasRequired: 1 }),
    );
    const { port } = await found.link.client.configGet('port');
    const at = primaries.findIndex((one) => String(one.port) === port);
    await surviveFailover(found, async () => {
      await primaries[at]!.kill();
      await vi.waitFor(async () => expect(String(await replicas[at]!.ask('ROLE'))).toContain('master'), soon);
      await primaries[at]!.restart(); // with a replica required, publishing waits for it
    });
  });

  test('take over the entries of a dead one in a Redis Cluster', async () => {
    const { primaries } = await bringUpCluster(ground, 3, 0);
    const found = await find({ clusterNodes: primaries }, eventSettings({ stream: '{events}' }));
    const victim = startConsumer(found, 2_000);
    await vi.waitFor(async () => expect((await inHand(found)).size).toBe(1), soon);
    const [itsName = ''] = (await inHand(found)).keys();
    const survivor = startConsumer(found, 2_000);
    await vi.waitFor(async () => expect((await inHand(found)).size).toBe(2), soon);
    const load = startLoad(12, createPublisher(found.link, found.events));
    await moreEffects(found, 100);
    await vi.waitFor(async () => {
      victim.signal('SIGSTOP'); // what it has in hand now, it has when it is killed
      const left = (await inHand(found)).get(itsName) ?? 0;
      if (left === 0) victim.signal('SIGCONT');
      expect(left).toBeGreaterThan(0);
    }, soon);
    await victim.stop();
    await moreEffects(found, 300);
    await expectAllOnce(found, load);
    await expectEnd([survivor]);
  });
});
