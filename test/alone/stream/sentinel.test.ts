import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectRedis, type RedisConnection } from '../../../stream/connection';
import { recordedLog } from '../../support/recorded-log';
import { connectBy, portOf, watchedPrimary } from '../../support/redis/topologies';
import { redisGround, type RedisGround, type RedisProcess } from '../../support/redis/servers';

const soon = { timeout: 20_000, interval: 20 };
/** A link moves so soon after the election (ms). */
const MOVES_WITHIN_MS = 5_000;

let ground: RedisGround;
let primary: RedisProcess;
let replica: RedisProcess | undefined;
let sentinels: ReadonlyArray<RedisProcess>;
let link: RedisConnection;

beforeEach(async () => {
  ground = await redisGround();
  ({
    primary,
    replicas: [replica],
    sentinels,
  } = await watchedPrimary(ground, 1));
  link = await connectBy({ sentinels: { addresses: sentinels, master: 'main' } }, 'events');
});
afterEach(async () => {
  await link.close();
  await ground.stop();
});

const elected = (by: RedisProcess): Promise<unknown> => by.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main');

/** Waits until `by` names the replica, then until the link writes there: how long that took (ms). */
const moveOf = async (by: RedisProcess): Promise<number> => {
  await vi.waitFor(async () => expect(await elected(by)).toEqual(['127.0.0.1', String(replica?.port)]), soon);
  const since = performance.now();
  await vi.waitFor(async () => expect(await portOf(link)).toBe(replica?.port), soon);
  await vi.waitFor(async () => expect(await link.client.set('moved', '1')).toBe('OK'), soon);
  return performance.now() - since;
};

describe('a link by sentinels', { timeout: 60_000 }, () => {
  test('writes to the new primary soon after the election when one hangs, and stays when that comes back', async () => {
    primary.freeze();
    expect(await moveOf(sentinels[1]!)).toBeLessThan(MOVES_WITHIN_MS);
    primary.thaw();
    await vi.waitFor(async () => expect(String(await primary.ask('ROLE'))).toContain('slave'), soon);
    expect(await portOf(link)).toBe(replica?.port);
  });

  test('leaves a primary that lives on, once another one is elected', async () => {
    await sentinels[0]!.ask('SENTINEL', 'FAILOVER', 'main');
    expect(await moveOf(sentinels[0]!)).toBeLessThan(MOVES_WITHIN_MS);
  });

  test('writes to the new primary when one is killed, by those who elected it, not by one that names the old', async () => {
    expect(await portOf(link)).toBe(primary.port);
    await primary.kill();
    expect(await moveOf(sentinels[0]!)).toBeLessThan(MOVES_WITHIN_MS);
    await link.close();
    const cutOff = await ground.sentinel(primary, 2); // it never heard of the others
    expect(await elected(cutOff)).toEqual(['127.0.0.1', String(primary.port)]);
    link = await connectBy({ sentinels: { addresses: [cutOff, ...sentinels], master: 'main' } }, 'events');
    await vi.waitFor(async () => expect(await portOf(link)).toBe(replica?.port), soon);
  });

  test('waits while no sentinel answers, and says once why', async () => {
    await link.close();
    for (const one of sentinels) await one.kill();
    const { log, records } = recordedLog();
    link = connectRedis({
      url: 'redis://nobody:1',
      sentinels: { addresses: sentinels, master: 'main' },
      log,
      name: 'test',
    });
    const ours = () => records.filter(({ asks }) => asks === undefined).map(({ msg, reason }) => [msg, reason]);
    await vi.waitFor(() => expect(ours()).toEqual([['redis is unavailable', 'no sentinel knows main']]), soon);
    expect(await link.answers()).toBe(false);
    for (const one of sentinels) await one.restart();
    await vi.waitFor(async () => expect(await link.answers()).toBe(true), soon);
    expect(ours()).toHaveLength(2);
  });
});
