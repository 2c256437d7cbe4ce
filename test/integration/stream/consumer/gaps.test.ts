import { Registry } from 'prom-client';
import { expect, inject, test, vi } from 'vitest';
import type { Gap } from '../../../../stream/consumer';
import { joinGroup, keyPrefixOf, lagOf as groupLag, newEntries, claimIdle } from '../../../../stream/consumer/group';
import { entriesIn } from '../../../../stream/entry';
import { CLAIM_AFTER_MS, consumersOf, nodesOf, soon, type Names } from '../../../support/redis/consumers';
import { sharedRedis } from '../../../support/redis/shared-redis';
import { anId } from '../../../support/scenario';

const redis = sharedRedis();
const { publish, published, handled, entriesOf, consuming, consumed } = consumersOf(redis, inject('redisUrl'));

/** A consumer with what it told of: gaps, and metrics by name and labels. */
const consumerWithGaps = (...[own, more]: Parameters<typeof consuming>) => {
  const [gaps, registry]: [Gap[], Registry] = [[], new Registry()];
  const { stop } = consuming(own, { ...more, registry, onGap: (gap) => void gaps.push(gap) });
  const metric = async (named: string): Promise<number | undefined> => {
    const line = (await registry.metrics()).split('\n').find((one) => one.startsWith(`${named} `));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  };
  return { gaps, stop, metric };
};
const lost = 'point_alarm_consumer_events_total{outcome="lost"}';
const lagOf = (stream: string): string => `point_alarm_consumer_lag{stream="${stream}"}`;

test('entries that were trimmed unread are a gap, told with the last entry before and the first after it; the lag falls to 0', async () => {
  const { own } = await published(1, 3);
  await consumed(own);
  const [, , before] = await entriesOf(own.stream);
  await publish(own.stream, new Map([...nodesOf(51, 4)].slice(1)));
  await redis.xTrim(own.stream, 'MAXLEN', 50);
  const [after] = await entriesOf(own.stream);
  const { gaps, stop, metric } = consumerWithGaps(own);
  await vi.waitFor(async () => expect(await redis.lLen(`${own.stream}:${own.group}:trail`)).toBe(53), soon);
  await vi.waitFor(async () => expect(await metric(lagOf(own.stream))).toBe(0), soon);
  expect(gaps).toEqual([{ from: before!.id, to: after!.id, entries: 150 }]);
  expect(await metric(lost)).toBe(150);
  const edge = (name: string): string => `point_alarm_consumer_gap_timestamp_seconds{edge="${name}"}`;
  expect(await metric(edge('from'))).toBe(Number.parseInt(before!.id, 10) / 1_000);
  expect(await metric(edge('to'))).toBe(Number.parseInt(after!.id, 10) / 1_000);
  await stop();
});

test('each of several gaps is counted on its own, and only by one consumer of the group', async () => {
  const { own } = await published(1, 3);
  const handledOf = async (): Promise<number> => (await handled(own)).get(anId(0))?.length ?? 0;
  const first = consumerWithGaps(own);
  await vi.waitFor(async () => expect(await handledOf()).toBe(3), soon);
  await first.stop();
  const reportedGaps: Gap[] = [];
  for (const [round, expected] of [7, 4].entries()) {
    await publish(own.stream, new Map([...nodesOf(2 + round, expected + 2)].slice(1 + round)));
    await redis.xTrim(own.stream, 'MAXLEN', 2);
    const both = [consumerWithGaps(own), consumerWithGaps(own)];
    await vi.waitFor(async () => expect(await both[0]?.metric(lagOf(own.stream))).toBe(0), soon);
    await Promise.all(both.map(({ stop }) => stop()));
    reportedGaps.push(...both.flatMap(({ gaps }) => gaps));
  }
  expect(reportedGaps.map(({ entries }) => entries)).toEqual([7, 4]);
});

test('a stream that was trimmed up to just what the group has read has no gap, nor has a new group', async () => {
  const { own, nodes } = await published(2, 2);
  await redis.xTrim(own.stream, 'MAXLEN', 3);
  const first = consumerWithGaps(own);
  await vi.waitFor(async () => expect(await redis.lLen(`${own.stream}:${own.group}:trail`)).toBe(3), soon);
  await first.stop();
  await publish(own.stream, new Map([...nodesOf(nodes.size + 1, 2)].slice(nodes.size)));
  await redis.xTrim(own.stream, 'MAXLEN', 2);
  const second = consumerWithGaps(own);
  await vi.waitFor(async () => expect(await redis.lLen(`${own.stream}:${own.group}:trail`)).toBe(5), soon);
  await second.stop();
  expect([...first.gaps, ...second.gaps]).toEqual([]);
});

test('an entry that was trimmed while a consumer had it is a gap of its own', async () => {
  const { own } = await published(1, 2);
  const [first] = await entriesOf(own.stream);
  let isTrimmed = false;
  const trimOnce = async () => {
    if (isTrimmed) return undefined;
    isTrimmed = true;
    await redis.xDel(own.stream, first!.id);
    throw new Error('tried again');
  };
  const { gaps, stop, metric } = consumerWithGaps(own, { handle: trimOnce });
  await vi.waitFor(async () => expect(await metric(lagOf(own.stream))).toBe(0), soon);
  await vi.waitFor(() => expect(gaps).not.toEqual([]), soon);
  await stop();
  expect(gaps).toEqual([{ from: first!.id, to: first!.id, entries: 1 }]);
  expect(await metric(lost)).toBe(1);
});

test.each(['oldest', 'now'] as const)(
  'a group that Redis lost begins again with the oldest entry, also where a new one begins with %s, and is told of',
  async (begin) => {
    const { own } = await published(1, 0);
    const reported: string[] = [];
    const { gaps, stop } = consumerWithGaps(own, { begin, report: (line) => void reported.push(line) });
    await vi.waitFor(async () => expect(await redis.exists(own.stream)).toBe(1), soon);
    await publish(own.stream, nodesOf(1, 2));
    await vi.waitFor(async () => expect((await handled(own)).get(anId(0))).toHaveLength(2), soon);
    await redis.xGroupDestroy(own.stream, own.group);
    await publish(own.stream, new Map([...nodesOf(2, 2)].slice(1)));
    await vi.waitFor(async () => expect((await handled(own)).get(anId(1))).toHaveLength(2), soon);
    await stop();
    const [oldest] = await entriesOf(own.stream);
    expect(gaps).toEqual([{ from: '0-0', to: oldest!.id }]);
    expect(reported.join('\n')).toContain(`Redis lost the group ${own.group}`);
    expect((await handled(own)).get(anId(0))).toHaveLength(2);
  },
);

test('what a consumer is told by never ends it', async () => {
  const { own } = await published(1, 2);
  await consumed(own);
  await publish(own.stream, new Map([...nodesOf(2, 6)].slice(1)));
  await redis.xTrim(own.stream, 'MAXLEN', 3);
  const reported: string[] = [];
  const { stop } = consuming(own, {
    report: (line) => void reported.push(line),
    onGap: () => {
      throw new Error('no mail');
    },
    onHandled: async () => {
      await Promise.resolve();
      throw new Error('no pager');
    },
  });
  await vi.waitFor(async () => expect((await handled(own)).get(anId(1))).toHaveLength(3), soon);
  await stop();
  expect(reported).toContain('onGap failed: no mail');
  expect(reported).toContain('onHandled failed: no pager');
});

/** A process of the group that dies with the next answer of Redis. */
const doomed = (own: Names) => ({
  ...own,
  keyPrefix: keyPrefixOf(own.stream, own.group),
  begin: 'oldest' as const,
  consumer: 'doomed',
  claimAfterMs: CLAIM_AFTER_MS,
});

test.each<[string, (own: Names) => Promise<Partial<Gap>>]>([
  [
    'entries that were trimmed unread',
    async (own) => {
      await publish(own.stream, new Map([...nodesOf(4, 3)].slice(1)));
      await redis.xTrim(own.stream, 'MAXLEN', 4);
      const [after] = await entriesOf(own.stream);
      await newEntries({ client: redis }, doomed(own));
      return { to: after!.id, entries: 5 };
    },
  ],
  [
    'an entry that was trimmed while a consumer had it',
    async (own) => {
      await publish(own.stream, new Map([...nodesOf(2, 1)].slice(1)));
      const [held] = (await newEntries({ client: redis }, doomed(own))).entries;
      await redis.xDel(own.stream, held!.id);
      await claimIdle({ client: redis }, doomed(own), 0, true, '-');
      return { from: held!.id, to: held!.id, entries: 1 };
    },
  ],
  [
    'a group that Redis lost',
    async (own) => {
      await redis.xGroupDestroy(own.stream, own.group);
      await joinGroup({ client: redis }, doomed(own), false);
      return { from: '0-0' };
    },
  ],
])('a gap is told by another process, once, where the one that found it died: %s', async (_, lose) => {
  const { own } = await published(1, 3);
  await consumed(own);
  const gap = await lose(own);
  const both = [consumerWithGaps(own), consumerWithGaps(own)];
  const reportedGaps = () => both.flatMap(({ gaps }) => gaps);
  await vi.waitFor(() => expect(reportedGaps()).toEqual([expect.objectContaining(gap)]), soon);
  await vi.waitFor(async () => expect(await both[0]?.metric(lagOf(own.stream))).toBe(0), soon);
  await Promise.all(both.map(({ stop }) => stop()));
  const next = consumerWithGaps(own);
  await vi.waitFor(async () => expect(await next.metric(lagOf(own.stream))).toBe(0), soon);
  await next.stop();
  expect([...reportedGaps(), ...next.gaps]).toHaveLength(1);
});

test('after the operator moved the group, its lag is right, and a gap of the size of an earlier one is told', async () => {
  const { own } = await published(1, 3);
  await consumed(own);
  const fallBehind = async (round: number): Promise<void> => {
    await publish(own.stream, new Map([...nodesOf(round + 1, 20)].slice(round)));
    await redis.xTrim(own.stream, 'MAXLEN', 5);
  };
  const caughtUp = async (): Promise<ReadonlyArray<Gap>> => {
    const { gaps, stop, metric } = consumerWithGaps(own);
    await vi.waitFor(async () => expect(await metric(lagOf(own.stream))).toBe(0), soon);
    await vi.waitFor(async () => expect(await pendingAndPlace(own)).toEqual([0, await newestOf(own.stream)]), soon);
    await stop();
    return gaps;
  };
  await fallBehind(1);
  expect(await caughtUp()).toMatchObject([{ entries: 15 }]);
  await redis.sendCommand(['XGROUP', 'SETID', own.stream, own.group, '$']); // the runbook's
  await publish(own.stream, new Map([...nodesOf(3, 2)].slice(2)));
  expect(await caughtUp()).toEqual([]);
  await publish(own.stream, new Map([...nodesOf(4, 9)].slice(3)));
  expect(await groupLag({ client: redis }, doomed(own))).toBe(9);
  expect(await caughtUp()).toEqual([]);
  await fallBehind(4);
  expect(await caughtUp()).toMatchObject([{ entries: 15 }]);
});

const newestOf = async (stream: string) => (await redis.xInfoStream(stream))['last-generated-id'];
const pendingAndPlace = async ({ stream }: Names) => {
  const [group] = await redis.xInfoGroups(stream);
  return [group?.pending, group?.['last-delivered-id']];
};

test('a group of any program is at the newest entry with nothing pending once it has all, also after a gap', async () => {
  const { own } = await published(1, 3);
  const { stream, group } = own;
  await redis.xGroupCreate(stream, group, '0');
  const readAll = async (): Promise<void> => {
    const read = await redis.xReadGroup(group, 'one', { key: stream, id: '>' }, { COUNT: 100 });
    const ids = entriesIn(read).map(({ id }) => id);
    await redis.xAck(stream, group, ids);
  };
  await readAll();
  await publish(stream, new Map([...nodesOf(2, 20)].slice(1)));
  await redis.xTrim(stream, 'MAXLEN', 5);
  const newest = await newestOf(stream);
  expect(await pendingAndPlace(own)).not.toEqual([0, newest]);
  await readAll();
  expect(await pendingAndPlace(own)).toEqual([0, newest]);
});
