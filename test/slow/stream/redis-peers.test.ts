import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPublisher } from '../../../stream/append';
import { connectRedis, type RedisConnection } from '../../../stream/connection';
import { consumeEvents, NotNow, type ConsumerOptions, type Gap } from '../../../stream/consumer';
import { recordedLog } from '../../support/recorded-log';
import { eventSettings } from '../../support/redis/event-settings';
import { redisGround, type RedisGround, type RedisProcess } from '../../support/redis/servers';
import { compare, startLoad } from '../../support/redis/stream-load';
import { bySentinels } from '../../support/redis/topologies';

/*
 * What a Redis may do to the consumer library: it never ends of it, and each event has its effect once and in order, or is told
 * of as lost.
 */

const soon = { timeout: 60_000, interval: 50 };
let ground: RedisGround;
beforeEach(async () => {
  ground = await redisGround();
});
afterEach(() => ground.stop());

/** Consumes what nodes publish while `trouble` lasts, until all of it is done: what became of it. */
const consumedDuring = async (
  link: RedisConnection,
  redis: ConsumerOptions['redis'],
  replicasRequired: number,
  trouble: (stream: string, group: string, hold: (isHeld: boolean) => void) => Promise<unknown>,
) => {
  const [stream, group, stopping] = [`events-${randomUUID()}`, 'peers', new AbortController()];
  const [gaps, effects, reported]: [Gap[], Map<string, string[]>, string[]] = [[], new Map(), []];
  let isHeld = false;
  let hasEnded = false;
  const consuming = consumeEvents({
    ...{ redis, stream, group, claimAfterMs: 10_000, signal: stopping.signal },
    // The place of a node and the effect in one step, as in a database of one's own.
    handle: ({ aggregateId, sequenceId }) => {
      if (isHeld) throw new NotNow('held');
      const before = effects.get(aggregateId) ?? [];
      if (sequenceId > (before.at(-1) ?? '')) effects.set(aggregateId, [...before, sequenceId]);
      return undefined;
    },
    onGap: (gap) => void gaps.push(gap),
    report: (line) => void reported.push(line),
  }).finally(() => (hasEnded = true));
  const publisher = createPublisher(link, eventSettings({ stream, replicasRequired }));
  const load = startLoad(5, publisher);
  await vi.waitFor(() => expect(effects.size).toBe(5), soon);
  await trouble(stream, group, (held) => (isHeld = held));
  const after = load.published();
  await vi.waitFor(() => expect(load.published()).toBeGreaterThan(after + 50), soon);
  const published = await load.stop();
  await vi.waitFor(async () => {
    const [own] = await link.client.xInfoGroups(stream);
    const { 'last-generated-id': newest } = await link.client.xInfoStream(stream);
    expect(own, reported.join('\n')).toMatchObject({ pending: 0, 'last-delivered-id': newest });
  }, soon);
  const aside = await link.client.xLen(`${stream}:${group}:aside`);
  expect(hasEnded).toBe(false);
  stopping.abort();
  await consuming;
  return { ...compare(published, effects), gaps, aside };
};

const once = { lost: 0, repeated: 0, disordered: 0, aside: 0 };

test.each<
  [
    name: string,
    trouble: (server: RedisProcess, stream: string, group: string, hold: (isHeld: boolean) => void) => Promise<unknown>,
    expected: object,
  ]
>([
  [
    'cuts connections twelve times',
    async (server) => {
      for (let cut = 0; cut < 12; cut += 1) {
        await server.ask('CLIENT', 'KILL', 'TYPE', 'normal');
        await sleep(300);
      }
    },
    { ...once, gaps: [] },
  ],
  [
    'hangs for six seconds',
    async (server) => {
      server.freeze();
      await sleep(6_000);
      server.thaw();
    },
    { ...once, gaps: [] },
  ],
  [
    'has no memory left',
    async (server) => {
      await server.ask('CONFIG', 'SET', 'maxmemory', '1');
      await sleep(3_000);
      await server.ask('CONFIG', 'SET', 'maxmemory', '0');
    },
    { ...once, gaps: [] },
  ],
  [
    'is a replica for three seconds, by REPLICAOF',
    async (server) => {
      const other = await ground.server('--replicaof', server.host, String(server.port));
      await vi.waitFor(async () => expect(String(await other.ask('INFO', 'replication'))).toContain('status:up'), soon);
      await server.ask('CLIENT', 'PAUSE', '60000', 'WRITE');
      await sleep(1_000);
      await other.ask('REPLICAOF', 'NO', 'ONE');
      await server.ask('REPLICAOF', other.host, String(other.port));
      await server.ask('CLIENT', 'UNPAUSE');
      await vi.waitFor(
        async () => expect(String(await server.ask('INFO', 'replication'))).toContain('status:up'),
        soon,
      );
      await sleep(3_000);
      await server.ask('REPLICAOF', 'NO', 'ONE');
    },
    { ...once, gaps: [] },
  ],
  [
    'loses the group (NOGROUP)',
    (server, stream, group) => server.ask('XGROUP', 'DESTROY', stream, group),
    { ...once, gaps: [expect.objectContaining({ from: '0-0' })] },
  ],
  [
    'restarts with its data',
    async (server) => {
      await server.ask('CONFIG', 'SET', 'appendfsync', 'always');
      await server.ask('CONFIG', 'SET', 'appendonly', 'yes');
      await vi.waitFor(async () => {
        expect(String(await server.ask('INFO', 'persistence'))).toContain('aof_rewrite_in_progress:0');
      }, soon);
      await server.restart('--appendonly', 'yes', '--appendfsync', 'always');
    },
    { ...once, gaps: [] },
  ],
])('a Redis that %s: each event has its effect once', { timeout: 120_000 }, async (_, trouble, expected) => {
  const server = await ground.server();
  const link = connectRedis({ url: server.url, log: recordedLog().log, name: 'test' });
  await vi.waitFor(async () => expect(await link.answers()).toBe(true), soon);
  try {
    const found = await consumedDuring(link, { url: server.url }, 0, (...about) => trouble(server, ...about));
    expect(found).toEqual(expected);
  } finally {
    await link.close();
  }
});

test(
  'a Redis that trims what the group has not read: what is lost is told of, one by one',
  { timeout: 120_000 },
  async () => {
    const server = await ground.server();
    const link = connectRedis({ url: server.url, log: recordedLog().log, name: 'test' });
    await vi.waitFor(async () => expect(await link.answers()).toBe(true), soon);
    try {
      const found = await consumedDuring(link, { url: server.url }, 0, async (stream, _, hold) => {
        hold(true);
        await sleep(500); // an effect in hand when its connection is cut is there, and its entry is told of as lost
        await server.ask('CLIENT', 'KILL', 'TYPE', 'normal');
        await sleep(2_000);
        await server.ask('XTRIM', stream, 'MAXLEN', '5');
        hold(false);
      });
      const lost = found.gaps.reduce((sum, { entries = Number.NaN }) => sum + entries, 0);
      expect(found.lost).toBeGreaterThan(0);
      expect(lost).toBe(found.lost);
      expect([found.repeated, found.disordered, found.aside]).toEqual([0, 0, 0]);
    } finally {
      await link.close();
    }
  },
);

test('a failover to a replica that has each event: each has its effect once', { timeout: 120_000 }, async () => {
  const { way, link, primary, bringBack } = await bySentinels(ground, 'events');
  try {
    const found = await consumedDuring(link, { url: 'redis://nobody:1', ...way }, 1, async () => {
      await primary.kill();
      await sleep(6_000);
      await bringBack();
    });
    expect(found).toEqual({ ...once, gaps: [] });
  } finally {
    await link.close();
  }
});
