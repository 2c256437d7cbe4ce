import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPublisher } from '../../../stream/append';
import { connectRedis, type RedisLink } from '../../../stream/connection';
import { createPublishIntents } from '../../../stream/publish-intents';
import { bringUpCluster, type Cluster } from '../../support/redis/cluster';
import { eventSettings } from '../../support/redis/event-settings';
import { recordedLog } from '../../support/recorded-log';
import { redisGround, type RedisGround } from '../../support/redis/servers';
import { compare, eventOf, idsByNode, startLoad } from '../../support/redis/stream-load';

const soon = { timeout: 30_000, interval: 20 };

let ground: RedisGround;
let cluster: Cluster;
let opened: RedisLink[];
const bringUp = async (replicasEach: 0 | 1): Promise<void> => {
  cluster = await bringUpCluster(ground, 3, replicasEach);
};
beforeEach(async () => {
  ground = await redisGround();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((link) => link.close()));
  await ground.stop();
});

/** The hash tag keeps all that belongs to the stream on one server. */
const events = eventSettings({ stream: '{events}' });

const connect = async (): Promise<RedisLink> => {
  const link = connectRedis(
    {
      url: 'redis://nobody:1',
      clusterNodes: [...cluster.primaries, ...cluster.replicas],
      log: recordedLog().log,
      name: 'test',
    },
    events.stream,
  );
  opened.push(link);
  await vi.waitFor(async () => expect(await link.answers()).toBe(true), soon);
  return link;
};
const found = async ({ client }: RedisLink) =>
  vi.waitFor(async () => idsByNode(await client.xRange(events.stream, '-', '+')), soon);
const portOf = async ({ client }: RedisLink): Promise<string | undefined> => (await client.configGet('port'))['port'];

describe('a Redis Cluster of three', { timeout: 90_000 }, () => {
  test('keeps the stream on one server, with its intents', async () => {
    await bringUp(0);
    const link = await connect();
    const load = startLoad(12, createPublisher(link, events));
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(200), soon);
    const published = await load.stop();
    expect(compare(published, await found(link))).toEqual({ lost: 0, repeated: 0, disordered: 0 });
    const intents = createPublishIntents(link, events.stream);
    await intents.stayAlive();
    const written = await Promise.all([...published.keys()].map((nodeId) => intents.write(nodeId)));
    for (const intent of written) intents.orphan(intent);
    expect((await intents.orphaned(0)).map(({ nodeId }) => nodeId).sort()).toEqual([...published.keys()].sort());
    await intents.remove(written);
    expect(await intents.orphaned(0)).toEqual([]);
  });

  test('loses a primary under load: its replica goes on, and with a replica required nothing is lost', async () => {
    await bringUp(1);
    const link = await connect();
    const load = startLoad(12, createPublisher(link, { ...events, replicasRequired: 1 }));
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(200), soon);
    const port = await portOf(link);
    const at = cluster.primaries.findIndex((one) => String(one.port) === port);
    const [victim, heir] = [cluster.primaries[at]!, cluster.replicas[at]!];
    await victim.kill();
    await vi.waitFor(async () => expect(String(await heir.ask('ROLE'))).toContain('master'), soon);
    const elected = performance.now();
    await vi.waitFor(async () => expect(await portOf(link)).toBe(String(heir.port)), soon);
    expect(performance.now() - elected).toBeLessThan(5_000);
    await victim.restart(); // as the replica of its heir
    const before = load.published();
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 300), soon);
    const published = await load.stop();
    expect(compare(published, await found(link))).toEqual({ lost: 0, repeated: 0, disordered: 0 });
  });

  test('gives a slot to another server: the link follows it', async () => {
    await bringUp(0);
    const link = await connect();
    const publisher = createPublisher(link, events);
    const owner = await portOf(link);
    const target = cluster.primaries.find(({ port }) => String(port) !== owner)!;
    const id = String(await target.ask('CLUSTER', 'MYID'));
    const slot = String(await target.ask('CLUSTER', 'KEYSLOT', events.stream));
    await target.ask('CLUSTER', 'SETSLOT', slot, 'NODE', id); // an empty slot moves at once
    await target.ask('CLUSTER', 'BUMPEPOCH');
    for (const one of cluster.primaries) await one.ask('CLUSTER', 'SETSLOT', slot, 'NODE', id);
    await vi.waitFor(async () => expect(await portOf(link)).toBe(String(target.port)), soon);
    const nodes = Array.from({ length: 9 }, () => randomUUID());
    for (const nodeId of nodes) {
      const batch = { nodeId, events: [eventOf(nodeId, 1)] };
      await vi.waitFor(async () => expect(await publisher.append(batch)).toMatchObject({ added: 1 }), soon);
    }
  });
});
