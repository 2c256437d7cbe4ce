import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedisSettings } from '../../process/settings';
import { freePort } from '../../dev/stack/free-ports';
import { createPublisher } from '../../stream/append';
import { connectRedis, type RedisConnection } from '../../stream/connection';
import { recordedLog } from '../support/recorded-log';
import { redisGround, type RedisGround } from '../support/redis/servers';
import { compare, idsByNode, startLoad } from '../support/redis/stream-load';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy';
import { eventSettings } from '../support/redis/event-settings';

const soon = { timeout: 60_000, interval: 50 };
/** `CHAOS=short`: less of the same. */
const CUT_MS = process.env['CHAOS'] === 'short' ? 3_000 : 10_000;

let ground: RedisGround;
let links: RedisConnection[] = [];
let way: TcpProxy | undefined;
beforeEach(async () => {
  ground = await redisGround();
  links = [];
});
afterEach(async () => {
  await Promise.all(links.map((one) => one.close()));
  way?.close();
  await ground.stop();
});

const processAt = (redis: RedisSettings): RedisConnection => {
  const opened = connectRedis({ ...redis, log: recordedLog().log, name: 'test' });
  links.push(opened);
  return opened;
};

interface Row {
  readonly required: number;
  readonly minReplicas: number;
  /** Most events that may be lost: with min-replicas-to-write those taken before the primary notices. */
  readonly mostLost: number;
  readonly loses: boolean;
}

/**
 * The primary and a process that reaches nothing else on one side of a cut; the replica, the sentinels and another process on
 * the other. The sentinels elect the replica, while the old primary still takes writes. Afterwards the cut heals.
 */
describe.each<Row>([
  { required: 0, minReplicas: 0, mostLost: Infinity, loses: true },
  { required: 0, minReplicas: 1, mostLost: 500, loses: false },
  { required: 1, minReplicas: 0, mostLost: 0, loses: false },
  { required: 1, minReplicas: 1, mostLost: 0, loses: false },
])('a primary that is cut off, replicas required: $required, min-replicas-to-write $minReplicas', (row) => {
  const { required, minReplicas, mostLost, loses } = row;
  test(
    `loses at most ${mostLost} events that it took meanwhile, and repeats nothing`,
    { timeout: 180_000 },
    async () => {
      const primary = await ground.server(
        ...['--min-replicas-to-write', String(minReplicas), '--min-replicas-max-lag', '2', '--repl-timeout', '60'],
      );
      const seenAcross = { host: '127.0.0.1', port: await freePort() };
      way = await openTcpProxy(seenAcross.port, primary.port);
      const replica = await ground.server('--replicaof', seenAcross.host, String(seenAcross.port));
      const sentinels = await Promise.all([1, 2, 3].map(() => ground.sentinel(seenAcross, 2, 2_000)));
      await vi.waitFor(async () => expect(await primary.ask('WAIT', '1', '1000')).toBe(1), soon);
      const here = processAt({ url: `redis://127.0.0.1:${primary.port}` });
      const there = processAt({ url: 'redis://nobody:1', sentinels: { addresses: sentinels, master: 'main' } });
      const [byHere, byThere] = [here, there].map((one) =>
        createPublisher(one, eventSettings({ replicasRequired: required })),
      );
      const load = startLoad(10, byHere!, byThere!);
      await vi.waitFor(() => expect(load.published()).toBeGreaterThan(200), soon);
      await sleep(3_000); // the sentinels hear of the replica and of one another
      way.cut(true);
      await vi.waitFor(async () => expect(String(await replica.ask('ROLE'))).toContain('master'), soon);
      await sleep(CUT_MS);
      const entriesHere = await primary.ask('XLEN', 'events');
      way.cut(false);
      await vi.waitFor(async () => expect(String(await primary.ask('ROLE'))).toContain('slave'), soon);
      const before = load.published();
      await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 100), soon);
      const published = await load.stop();
      const found = await vi.waitFor(async () => idsByNode(await there.client.xRange('events', '-', '+')), soon);
      const outcome = compare(published, found);
      const count = [...published.values()].reduce((sum, ids) => sum + ids.length, 0);
      console.log(
        `${count} events, required ${required}, min-replicas-to-write ${minReplicas}: ${JSON.stringify(outcome)}; ` +
          `the old primary had ${String(entriesHere)} entries when the cut healed`,
      );
      expect(outcome).toMatchObject({ repeated: 0, disordered: 0 });
      if (loses) expect(outcome.lost).toBeGreaterThan(0);
      expect(outcome.lost).toBeLessThanOrEqual(mostLost);
    },
  );
});
