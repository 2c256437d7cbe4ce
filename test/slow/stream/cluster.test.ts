import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { changePartitions } from '../../../stream/change-partitions';
import { connectStream, type StreamLinks } from '../../../stream/connection';
import { createPublisher } from '../../../stream/partitioned-publisher';
import { partitionStreams } from '../../../stream/partitions';
import { createPartitionedIntents } from '../../../stream/publish-intents';
import { bringUpCluster, type Cluster } from '../../support/redis/cluster';
import { eventSettings } from '../../support/redis/event-settings';
import { recordedLog } from '../../support/recorded-log';
import { redisGround, type RedisGround, type RedisProcess } from '../../support/redis/servers';
import { compare, eventOf, idsByNode, startLoad } from '../../support/redis/stream-load';

const soon = { timeout: 30_000, interval: 20 };

let ground: RedisGround;
let cluster: Cluster;
let opened: StreamLinks[];
const bringUp = async (replicasEach: 0 | 1): Promise<void> => {
  cluster = await bringUpCluster(ground, 3, replicasEach);
};
beforeEach(async () => {
  ground = await redisGround();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((links) => links.close()));
  await ground.stop();
});

const linksOf = async (partitions: number) => {
  const links = connectStream({
    url: 'redis://nobody:1',
    clusterNodes: [...cluster.primaries, ...cluster.replicas],
    ...eventSettings({ partitions }),
    log: recordedLog().log,
    name: 'test',
  });
  opened.push(links);
  await vi.waitFor(async () => expect(await links.answers()).toBe(true), soon);
  return { ...links, partitions };
};
const found = async ({ links, partitions }: Awaited<ReturnType<typeof linksOf>>) => {
  const streams = partitionStreams(eventSettings({ partitions }));
  const pages = await vi.waitFor(
    () => Promise.all(links.map(({ client }, at) => client.xRange(streams[at] ?? '', '-', '+'))),
    soon,
  );
  return idsByNode(pages.flatMap((page) => page ?? []));
};

/** Appends by a server so far, and the processor time (µs) that its script took. */
const appendsOf = async (server: RedisProcess): Promise<{ readonly calls: number; readonly micros: number }> => {
  const stats = String(await server.ask('INFO', 'commandstats'));
  const [, calls = '0', micros = '0'] = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(stats) ?? [];
  return { calls: Number(calls), micros: Number(micros) };
};

describe('a Redis Cluster of three', { timeout: 90_000 }, () => {
  test('shares the appends: with a partition each, no server does much more than a third of them', async () => {
    await bringUp(0);
    const nodes = Array.from({ length: 300 }, () => randomUUID());
    const publisher = createPublisher(await linksOf(3), eventSettings({ partitions: 3 }));
    const appendAll = (round: number) =>
      Promise.all(nodes.map((nodeId) => publisher.append({ nodeId, events: [eventOf(nodeId, round)] })));
    await vi.waitFor(() => appendAll(1), soon);
    const before = await Promise.all(cluster.primaries.map(appendsOf));
    for (let round = 2; round <= 21; round += 1) await appendAll(round);
    const after = await Promise.all(cluster.primaries.map(appendsOf));
    const done = after.map(({ calls, micros }, at) => ({
      calls: calls - before[at]!.calls,
      micros: micros - before[at]!.micros,
    }));
    const all = done.reduce((sum, { calls }) => sum + calls, 0);
    const micros = done.reduce((sum, one) => sum + one.micros, 0);
    console.info(
      `appends by server: ${done.map(({ calls }) => calls).join(', ')}; ${(micros / all).toFixed(1)} µs each`,
    );
    expect(all).toBe(20 * nodes.length);
    expect(Math.max(...done.map(({ calls }) => calls)) / all).toBeLessThan(0.45);
  });

  test('keeps a partition on each server, with its intents', async () => {
    await bringUp(0);
    const links = await linksOf(3);
    const load = startLoad(12, createPublisher(links, eventSettings({ partitions: 3 })));
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(200), soon);
    const published = await load.stop();
    expect(compare(published, await found(links))).toEqual({ lost: 0, repeated: 0, disordered: 0 });
    const ports = await Promise.all(links.links.map(async ({ client }) => (await client.configGet('port'))['port']));
    expect([...ports].sort()).toEqual(cluster.primaries.map(({ port }) => String(port)).sort());
    const intents = createPartitionedIntents(links.links, eventSettings({ partitions: 3 }));
    await intents.stayAlive();
    const written = await Promise.all([...published.keys()].map((nodeId) => intents.write(nodeId)));
    for (const intent of written) intents.orphan(intent);
    expect((await intents.orphaned(0)).map(({ nodeId }) => nodeId).sort()).toEqual([...published.keys()].sort());
    await intents.remove(written);
    expect(await intents.orphaned(0)).toEqual([]);
  });

  test('gets other partitions under load: nothing is lost, repeated or out of order', async () => {
    await bringUp(0);
    const [old, wanted] = [await linksOf(3), await linksOf(6)];
    const load = startLoad(
      12,
      createPublisher(old, eventSettings({ partitions: 3 })),
      createPublisher(wanted, eventSettings({ partitions: 6 })),
    );
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(100), soon);
    expect(await changePartitions({ stream: 'events', from: old, to: wanted, replicasRequired: 0 })).toBe(12);
    const before = load.published();
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 100), soon);
    const published = await load.stop();
    const [first, second] = [await found(old), await found(wanted)];
    const both = new Map(
      [...published.keys()].map((node) => [node, [...(first.get(node) ?? []), ...(second.get(node) ?? [])]]),
    );
    expect(compare(published, both)).toEqual({ lost: 0, repeated: 0, disordered: 0 });
    expect(second.size).toBe(12);
  });

  test('loses a primary under load: its replica goes on, and with a replica required nothing is lost', async () => {
    await bringUp(1);
    const links = await linksOf(3);
    const load = startLoad(12, createPublisher(links, eventSettings({ partitions: 3, replicasRequired: 1 })));
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(200), soon);
    const [victim, heir] = [cluster.primaries[0]!, cluster.replicas[0]!];
    await victim.kill();
    await vi.waitFor(async () => expect(String(await heir.ask('ROLE'))).toContain('master'), soon);
    const elected = performance.now();
    await vi.waitFor(async () => {
      const ports = links.links.map(async ({ client }) => (await client.configGet('port'))['port']);
      expect(await Promise.all(ports)).toContain(String(heir.port));
    }, soon);
    expect(performance.now() - elected).toBeLessThan(5_000);
    await victim.start(); // as the replica of its heir
    const before = load.published();
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 300), soon);
    const published = await load.stop();
    expect(compare(published, await found(links))).toEqual({ lost: 0, repeated: 0, disordered: 0 });
  });

  test('gives a slot to another server: the link follows it', async () => {
    await bringUp(0);
    const links = await linksOf(3);
    const publisher = createPublisher(links, eventSettings({ partitions: 3 }));
    const [stream = ''] = partitionStreams(eventSettings({ partitions: 3 }));
    const owner = await links.links[0]!.client.configGet('port');
    const target = cluster.primaries.find(({ port }) => String(port) !== owner['port'])!;
    const id = String(await target.ask('CLUSTER', 'MYID'));
    const slot = String(await target.ask('CLUSTER', 'KEYSLOT', stream));
    await target.ask('CLUSTER', 'SETSLOT', slot, 'NODE', id); // an empty slot moves at once
    await target.ask('CLUSTER', 'BUMPEPOCH');
    for (const one of cluster.primaries) await one.ask('CLUSTER', 'SETSLOT', slot, 'NODE', id);
    await vi.waitFor(async () => {
      expect((await links.links[0]!.client.configGet('port'))['port']).toBe(String(target.port));
    }, soon);
    const nodes = Array.from({ length: 9 }, () => randomUUID());
    for (const nodeId of nodes) {
      const batch = { nodeId, events: [eventOf(nodeId, 1)] };
      await vi.waitFor(async () => expect(await publisher.append(batch)).toMatchObject({ added: 1 }), soon);
    }
  });
});
