import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { noDelays } from '../../../cli/forward/alertmanager/alarms';
import { createClock, STREAM } from '../../../cli/forward/alertmanager/clock';
import type { Timing } from '../../../cli/forward/alertmanager/timing';
import { keyPrefixOf } from '../../../stream/consumer/group';
import { createLog } from '../../../process/log';
import { connectRedis } from '../../../stream/connection';
import { anId } from '../../support/scenario';
import { sharedRedis } from '../../support/redis/shared-redis';

const url = inject('redisUrl');
const redis = sharedRedis();
const NODES = 100_000;
const HOUR = 3_600_000;

/** What a look took: time, and processor time of this process. */
interface Look {
  readonly ms: number;
  readonly cpuMs: number;
}

const timing: Timing = {
  of: () => ({ delays: noDelays, silentAfterMs: HOUR }),
  isDelayed: false,
  silentAfter: { shortestMs: HOUR, longestMs: HOUR },
};

test('what a look at 100,000 nodes costs, whether none is silent, all are, or all wait since an outage', async () => {
  const [stream, group] = [`silent-${randomUUID()}`, 'alerts'];
  const keyPrefix = keyPrefixOf(stream, group);
  const link = connectRedis({ url, log: createLog({ level: 'silent', process: 'cost' }), name: 'cost' });
  onTestFinished(() => link.close());
  const begin = Date.now() - 4 * HOUR;
  const entry = async (at: number): Promise<void> => void (await redis.xAdd(stream, `${at}-0`, { aggregateId: 'x' }));
  const measuredAt = async (at: number): Promise<void> => {
    for (let from = 0; from < NODES; from += 1_000) {
      const nodes = Array.from({ length: 1_000 }, (_, n) => anId(from + n));
      const text = JSON.stringify({ at, since: at, status: 2 });
      await redis.hSet(`${keyPrefix}:measured`, Object.fromEntries(nodes.map((node) => [node, text])));
      await redis.zAdd(
        `${keyPrefix}:silence`,
        nodes.map((value) => ({ value, score: at + HOUR })),
      );
    }
  };
  const look = async (): Promise<Look> => {
    const info = await redis.xInfoStream(stream);
    await redis.xGroupSetId(stream, group, info['last-generated-id']);
    const clock = createClock({ redis: link, stream, group, keyPrefix, timing, catchUp: false }, async () => true);
    const [at, cpu] = [performance.now(), process.cpuUsage()];
    await clock.markDue();
    const { user, system } = process.cpuUsage(cpu);
    return { ms: Math.round(performance.now() - at), cpuMs: Math.round((user + system) / 1_000) };
  };
  await entry(begin);
  await redis.xGroupCreate(stream, group, '$');
  await measuredAt(begin);
  await look(); // compiles the scripts
  const figures: Record<string, ReadonlyArray<Look>> = {};
  /** Looks until none of the nodes is due. */
  const looks = async (): Promise<ReadonlyArray<Look>> => {
    const all = [await look()];
    const seen = Number(await redis.hGet(`${keyPrefix}:flow`, 'seen'));
    while ((await redis.zCount(`${keyPrefix}:silence`, '-inf', seen)) > 0) all.push(await look());
    return all;
  };
  const silent = async (): Promise<ReadonlyArray<string>> => redis.hKeys(`${keyPrefix}:silent`);
  for (const minutes of [10, 20, 30, 40, 50]) await entry(begin + minutes * 60_000);
  figures['none'] = await looks();
  expect(await silent()).toEqual([STREAM]); // its entries are of the past
  await entry(begin + 2 * HOUR); // after an outage
  figures['all wait on'] = await looks();
  expect(await silent()).toEqual([STREAM]);
  await entry(begin + 2.2 * HOUR);
  await entry(begin + 2.4 * HOUR);
  figures['all silent'] = await looks();
  expect(await redis.hLen(`${keyPrefix}:silent`)).toBe(NODES + 1);
  figures['none again'] = await looks();
  const totals = Object.entries(figures).map(([name, all]) => {
    const sum = (of: (one: Look) => number): number => all.reduce((total, one) => total + of(one), 0);
    return [
      name,
      {
        looks: all.length,
        longest: Math.max(...all.map(({ ms }) => ms)),
        ms: sum(({ ms }) => ms),
        cpuMs: sum(({ cpuMs }) => cpuMs),
      },
    ];
  });
  console.log(JSON.stringify(Object.fromEntries(totals)));
});
