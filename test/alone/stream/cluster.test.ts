import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPublisher } from '../../../stream/append';
import { connectRedis, type RedisConnection } from '../../../stream/connection';
import { createPublishIntents } from '../../../stream/publish-intents';
import { eventSettings } from '../../support/redis/event-settings';
import { recordedLog } from '../../support/recorded-log';
import { redisGround, type RedisGround } from '../../support/redis/servers';
import { compare, eventOf, idsByNode, startLoad } from '../../support/redis/stream-load';
import {
  bringUpCluster,
  bySentinels,
  connectBy,
  inCluster,
  portOf,
  type Cluster,
} from '../../support/redis/topologies';

const soon = { timeout: 60_000, interval: 20 };
/** A link moves so soon after the election (ms). */
const MOVES_WITHIN_MS = 5_000;

let ground: RedisGround;
let opened: RedisConnection[];
beforeEach(() => {
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((link) => link.close()));
  await ground.stop();
});

/** The hash tag keeps all that belongs to the stream on one server. */
const events = eventSettings({ stream: '{events}' });

const found = async ({ client }: RedisConnection) =>
  vi.waitFor(async () => idsByNode(await client.xRange(events.stream, '-', '+')), soon);

describe('a Redis Cluster of three', { timeout: 90_000 }, () => {
  let cluster: Cluster;
  let link: RedisConnection;
  beforeEach(async () => {
    ground = await redisGround();
    cluster = await bringUpCluster(ground, 3, 0);
    link = await connectBy({ clusterNodes: cluster.primaries }, events.stream);
    opened.push(link);
  });

  test('keeps the stream on one server, with its intents', async () => {
    const load = startLoad(12, createPublisher(link, events));
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(200), soon);
    const published = await load.stop();
    expect(compare(published, await found(link))).toEqual({ lost: 0, repeated: 0, disordered: 0 });
    const intents = createPublishIntents(link, events.stream);
    await intents.refreshLiveness();
    const written = await Promise.all([...published.keys()].map((nodeId) => intents.write(nodeId)));
    for (const intent of written) intents.orphan(intent);
    expect((await intents.orphaned(0)).map(({ nodeId }) => nodeId).sort()).toEqual([...published.keys()].sort());
    await intents.remove(written);
    expect(await intents.orphaned(0)).toEqual([]);
  });

  test('gives a slot to another server: the link follows it', async () => {
    const publisher = createPublisher(link, events);
    const owner = await portOf(link);
    const target = cluster.primaries.find(({ port }) => port !== owner)!;
    const id = String(await target.ask('CLUSTER', 'MYID'));
    const slot = String(await target.ask('CLUSTER', 'KEYSLOT', events.stream));
    await target.ask('CLUSTER', 'SETSLOT', slot, 'NODE', id); // an empty slot moves at once
    await target.ask('CLUSTER', 'BUMPEPOCH');
    for (const one of cluster.primaries) await one.ask('CLUSTER', 'SETSLOT', slot, 'NODE', id);
    await vi.waitFor(async () => expect(await portOf(link)).toBe(target.port), soon);
    const nodes = Array.from({ length: 9 }, () => randomUUID());
    for (const nodeId of nodes) {
      const batch = { nodeId, events: [eventOf(nodeId, 1)] };
      await vi.waitFor(async () => expect(await publisher.append(batch)).toMatchObject({ added: 1 }), soon);
    }
  });
});

test.each([
  ['in a Redis Cluster', inCluster, false],
  ['in a Redis Cluster, by TLS with certificates of both sides', inCluster, true],
  ['by Sentinels, by TLS with certificates of both sides', bySentinels, true],
])(
  'a primary killed under load %s: its replica goes on, and with a replica required nothing is lost',
  { timeout: 180_000 },
  async (_way, bringUp, secured) => {
    ground = await redisGround(secured);
    const { way, link, primary, heir, bringBack } = await bringUp(ground, events.stream);
    opened.push(link);
    const load = startLoad(12, createPublisher(link, { ...events, replicasRequired: 1 }));
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(200), soon);
    await primary.kill();
    // It does not come back before the election: it is empty, and its replica would forget all as well.
    await vi.waitFor(async () => expect(String(await heir.ask('ROLE'))).toContain('master'), soon);
    const elected = performance.now();
    await vi.waitFor(async () => expect(await portOf(link)).toBe(heir.port), soon);
    expect(performance.now() - elected).toBeLessThan(MOVES_WITHIN_MS);
    await bringBack();
    const before = load.published();
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 300), soon);
    expect(compare(await load.stop(), await found(link))).toEqual({ lost: 0, repeated: 0, disordered: 0 });

    if (way.tls?.ca === undefined) return;
    const { log, records } = recordedLog();
    const stranger = connectRedis({ url: 'rediss://nobody:1', ...way, tls: { ca: way.tls.ca }, log, name: 'stranger' });
    opened.push(stranger);
    await vi.waitFor(() => expect(records.some(({ msg }) => msg === 'redis is unavailable')).toBe(true), soon);
    expect(await stranger.answers()).toBe(false);
  },
);
