import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedisSettings } from '../../../process/settings';
import { createPublisher } from '../../../stream/append';
import { connectRedis, type RedisLink } from '../../../stream/connection';
import { bringUpCluster } from '../../support/redis/cluster';
import { eventSettings } from '../../support/redis/event-settings';
import { recordedLog } from '../../support/recorded-log';
import { redisGround, type RedisGround } from '../../support/redis/servers';
import { compare, idsByNode, startLoad } from '../../support/redis/stream-load';
import { watchedPrimary } from '../../support/redis/watched-primary';

const soon = { timeout: 60_000, interval: 20 };

let ground: RedisGround;
let opened: RedisLink[];
beforeEach(async () => {
  ground = await redisGround(true);
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((link) => link.close()));
  await ground.stop();
});

type Way = Pick<RedisSettings, 'sentinels' | 'clusterNodes' | 'tls'>;

/** The hash tag keeps all that belongs to the stream on one server of a cluster. */
const events = eventSettings({ stream: '{events}', replicasRequired: 1 });

const connect = (way: Way) => {
  const { log, records } = recordedLog();
  const link = connectRedis({ url: 'rediss://nobody:1', ...way, log, name: 'test' }, events.stream);
  opened.push(link);
  return { link, records };
};

/** Publishes while `hurt` takes away the primary at a port; what came of it. */
const published = async (way: Way, hurt: (port: number) => Promise<void>) => {
  const { link } = connect(way);
  await vi.waitFor(async () => expect(await link.answers()).toBe(true), soon);
  const load = startLoad(6, createPublisher(link, events));
  const more = async (): Promise<void> => {
    const before = load.published();
    await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 50), soon);
  };
  await more();
  await hurt(Number((await link.client.configGet('tls-port'))['tls-port']));
  await more();
  const ids = await load.stop();
  return compare(ids, await vi.waitFor(async () => idsByNode(await link.client.xRange(events.stream, '-', '+')), soon));
};

/** What a client without a certificate of ours comes to: it is refused, as Redis is unavailable. */
const isRefused = async (way: Way): Promise<void> => {
  const { link, records } = connect(way);
  await vi.waitFor(() => expect(records.some(({ msg }) => msg === 'redis is unavailable')).toBe(true), soon);
  expect(await link.answers()).toBe(false);
};

const trustAlone = () => ({ ca: String(ground.tls?.ca) });

describe('by TLS with certificates of both sides', { timeout: 180_000 }, () => {
  test('events go by Sentinels to the primary, and to the new one once it is killed', async () => {
    const { primary, replicas, sentinels } = await watchedPrimary(ground, 2);
    const way = { sentinels: { addresses: sentinels, master: 'main' }, tls: ground.tls ?? {} };
    const heirs = replicas.map(({ port }) => String(port));
    const outcome = await published(way, async () => {
      await primary.kill();
      const elected = () =>
        sentinels[0]!.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main') as Promise<[string, string]>;
      await vi.waitFor(async () => expect(heirs).toContain((await elected())[1]), soon);
      expect((await elected())[0]).toBe('localhost'); // the name that the certificate bears
    });
    expect(outcome).toEqual({ lost: 0, repeated: 0, disordered: 0 });
    await isRefused({ ...way, tls: trustAlone() });
  });

  test('events go to the primary of the stream in a Redis Cluster, and to its replica once it is killed', async () => {
    const { primaries, replicas } = await bringUpCluster(ground, 3, 1);
    const way = { clusterNodes: [...primaries, ...replicas], tls: ground.tls ?? {} };
    const outcome = await published(way, async (port) => {
      const at = primaries.findIndex((one) => one.port === port);
      const [victim, heir] = [primaries[at]!, replicas[at]!];
      await victim.kill();
      // Not before the election: the victim is empty, and its replica would forget all as well.
      await vi.waitFor(async () => expect(String(await heir.ask('ROLE'))).toContain('master'), soon);
      await victim.restart(); // with a replica required, publishing waits for it
    });
    expect(outcome).toEqual({ lost: 0, repeated: 0, disordered: 0 });
    await isRefused({ ...way, tls: trustAlone() });
  });
});
