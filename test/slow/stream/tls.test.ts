import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedisSettings } from '../../../process/settings';
import { connectStream, type StreamLinks } from '../../../stream/connection';
import { createPublisher } from '../../../stream/partitioned-publisher';
import { partitionStreams } from '../../../stream/partitions';
import { bringUpCluster } from '../../support/redis/cluster';
import { eventSettings } from '../../support/redis/event-settings';
import { recordedLog } from '../../support/recorded-log';
import { redisGround, type RedisGround } from '../../support/redis/servers';
import { compare, idsByNode, startLoad } from '../../support/redis/stream-load';
import { watchedPrimary } from '../../support/redis/watched-primary';

const soon = { timeout: 60_000, interval: 20 };

let ground: RedisGround;
let opened: StreamLinks[];
beforeEach(async () => {
  ground = await redisGround(true);
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((links) => links.close()));
  await ground.stop();
});

type Way = Pick<RedisSettings, 'sentinels' | 'clusterNodes' | 'tls'>;

const linksBy = (way: Way, partitions: number): StreamLinks => {
  const { log } = recordedLog();
  const links = connectStream({
    url: 'rediss://nobody:1',
    ...way,
    ...eventSettings({ partitions, replicasRequired: 1 }),
    log,
    name: 'test',
  });
  opened.push(links);
  return links;
};

/** Publishes while `hurt` takes a primary away; what came of it. */
const published = async (way: Way, partitions: number, hurt: () => Promise<void>) => {
  const links = linksBy(way, partitions);
  await vi.waitFor(async () => expect(await links.answers()).toBe(true), soon);
  const load = startLoad(6, createPublisher(links, eventSettings({ partitions, replicasRequired: 1 })));
  const more = async (): Promise<void> => {
    const before = load.published();
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 50), soon);
  };
  await more();
  await hurt();
  await more();
  const ids = await load.stop();
  const streams = partitionStreams(eventSettings({ partitions, replicasRequired: 1 }));
  const pages = await vi.waitFor(
    () => Promise.all(links.links.map(({ client }, at) => client.xRange(streams[at] ?? '', '-', '+'))),
    soon,
  );
  return compare(ids, idsByNode(pages.flatMap((page) => page ?? [])));
};

/** What a client without a certificate of ours comes to: it is refused, as Redis is unavailable. */
const isRefused = async (way: Way): Promise<void> => {
  const { log, records } = recordedLog();
  const links = connectStream({
    url: 'rediss://nobody:1',
    ...way,
    ...eventSettings({ partitions: 1, replicasRequired: 1 }),
    log,
    name: 'test',
  });
  opened.push(links);
  await vi.waitFor(() => expect(records.some(({ msg }) => msg === 'redis is unavailable')).toBe(true), soon);
  expect(await links.answers()).toBe(false);
};

const trustAlone = () => ({ ca: String(ground.tls?.ca) });

describe('by TLS with certificates of both sides', { timeout: 180_000 }, () => {
  test('events go by Sentinels to the primary, and to the new one once it is killed', async () => {
    const { primary, replicas, sentinels } = await watchedPrimary(ground, 2);
    const way = { sentinels: { addresses: sentinels, master: 'main' }, tls: ground.tls ?? {} };
    const heirs = replicas.map(({ port }) => String(port));
    const outcome = await published(way, 1, async () => {
      await primary.kill();
      const elected = () =>
        sentinels[0]!.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main') as Promise<[string, string]>;
      await vi.waitFor(async () => expect(heirs).toContain((await elected())[1]), soon);
      expect((await elected())[0]).toBe('localhost'); // the name that the certificate bears
    });
    expect(outcome).toEqual({ lost: 0, repeated: 0, disordered: 0 });
    await isRefused({ ...way, tls: trustAlone() });
  });

  test('events go to each partition in a Redis Cluster, and to the replica of a primary that is killed', async () => {
    const { primaries, replicas } = await bringUpCluster(ground, 3, 1);
    const way = { clusterNodes: [...primaries, ...replicas], tls: ground.tls ?? {} };
    const [victim] = primaries;
    const outcome = await published(way, 4, async () => {
      await victim!.kill();
      // Not before the election: the victim is empty, and its replica would forget all as well.
      await vi.waitFor(async () => expect(String(await replicas[0]!.ask('ROLE'))).toContain('master'), soon);
      await victim!.start(); // with a replica required, publishing waits for it
    });
    expect(outcome).toEqual({ lost: 0, repeated: 0, disordered: 0 });
    await isRefused({ ...way, tls: trustAlone() });
  });
});
