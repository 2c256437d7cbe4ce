import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPublisher } from '../../stream/append';
import { connectRedis, type RedisConnection } from '../../stream/connection';
import { recordedLog } from '../support/recorded-log';
import { redisGround, type RedisGround, type RedisProcess } from '../support/redis/servers';
import { compare, idsByNode, startLoad } from '../support/redis/stream-load';
import { watchedPrimary } from '../support/redis/topologies';
import { eventSettings } from '../support/redis/event-settings';

/** `CHAOS=short`: less of the same. */
const KILLS = process.env['CHAOS'] === 'short' ? 2 : 10;
const NODES = 10;
/** Longer than a busy machine holds up a server: a failover while the other server is still empty is a second fault. */
const DOWN_AFTER_MS = 3_000;
const STREAM = 'events';
const soon = { timeout: 60_000, interval: 20 };

let ground: RedisGround;
let links: ReadonlyArray<RedisConnection> = [];
beforeEach(async () => {
  ground = await redisGround();
});
afterEach(async () => {
  await Promise.all(links.map((link) => link.close()));
  await ground.stop();
});

/** Two processes that publish, and the load that they are under. */
const underLoad = (sentinels: ReadonlyArray<RedisProcess>, replicasRequired: number) => {
  links = ['api', 'worker'].map((name) =>
    connectRedis({
      ...{ url: 'redis://nobody:1', sentinels: { addresses: sentinels, master: 'main' } },
      ...{ log: recordedLog().log, name },
    }),
  );
  return startLoad(
    NODES,
    ...links.map((link) => createPublisher(link, eventSettings({ stream: STREAM, replicasRequired }))),
  );
};

const elected = async (sentinels: ReadonlyArray<RedisProcess>): Promise<number> =>
  Number(((await sentinels[0]?.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as [string, string])[1]);

const streamOf = () => vi.waitFor(async () => idsByNode(await links[0]!.client.xRange(STREAM, '-', '+')), soon);

interface Row {
  readonly required: number;
  /** How long the replica had received nothing when the primary died (ms). */
  readonly behindMs: number;
}

describe.each<Row>([
  { required: 1, behindMs: 0 },
  { required: 1, behindMs: 200 },
  { required: 0, behindMs: 0 },
  { required: 0, behindMs: 200 },
])('a primary killed ten times under load, replicas required: $required, replica behind: $behindMs ms', (row) => {
  const { required, behindMs } = row;
  test(
    'repeats nothing and keeps the order; with a replica required it loses nothing',
    { timeout: 600_000 },
    async () => {
      const { primary, replicas, sentinels } = await watchedPrimary(ground, 1, DOWN_AFTER_MS);
      const servers = [primary, ...replicas];
      const load = underLoad(sentinels, required);
      const pauses: number[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = load.published();
        await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 100), soon);
        const port = await elected(sentinels);
        const [victim, heir] = servers[0]!.port === port ? servers : [...servers].reverse();
        if (behindMs > 0) {
          heir!.freeze();
          await victim!.ask('CLIENT', 'KILL', 'TYPE', 'replica'); // what follows does not even reach its socket
          await sleep(behindMs);
        }
        await victim!.kill();
        heir!.thaw();
        await vi.waitFor(async () => expect(await elected(sentinels)).toBe(heir!.port), soon);
        const since = performance.now();
        const there = load.published();
        await victim!.restart('--replicaof', '127.0.0.1', String(heir!.port)); // with a replica required, publishing waits for it
        await vi.waitFor(() => expect(load.published()).toBeGreaterThan(there), soon);
        pauses.push(Math.round(performance.now() - since));
        expect(await elected(sentinels)).toBe(heir!.port); // no second failover
        await vi.waitFor(async () => {
          const now = await elected(sentinels);
          expect(await servers.find((one) => one.port === now)?.ask('WAIT', '1', '500')).toBe(1);
        }, soon);
      }
      const published = await load.stop();
      const outcome = compare(published, await streamOf());
      const count = [...published.values()].reduce((sum, ids) => sum + ids.length, 0);
      console.log(
        `${count} events, replicas required ${required}, replica behind ${behindMs} ms: ${JSON.stringify(outcome)}; ` +
          `from election to the next published event: ${pauses.join(', ')} ms`,
      );
      expect(outcome).toMatchObject({ repeated: 0, disordered: 0 });
      if (required > 0) expect(outcome.lost).toBe(0);
      if (required === 0 && behindMs > 0) expect(outcome.lost).toBeGreaterThan(0); // what the setting is for
    },
  );
});
