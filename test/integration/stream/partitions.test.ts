import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { followStream, type Entry } from '../../../cli/events/follow-stream';
import { consumeEvents } from '../../../consumer';
import type { EventSettings } from '../../../process/settings';
import { changePartitions } from '../../../stream/change-partitions';
import { connectStream, type StreamLinks } from '../../../stream/connection';
import { createPublisher } from '../../../stream/partitioned-publisher';
import { partitionOf, partitionStreams } from '../../../stream/partitions';
import { recordedLog } from '../../support/recorded-log';
import { compare, eventOf, idsByNode, startLoad } from '../../support/redis/stream-load';
import { eventSettings } from '../../support/redis/event-settings';

const soon = { timeout: 30_000, interval: 20 };
const url = inject('redisUrl');

let stream: string;
let opened: StreamLinks[];
beforeEach(() => {
  stream = `partitioned-${randomUUID()}`;
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((links) => links.close()));
});

const eventsOf = (partitions: number): EventSettings => eventSettings({ stream, partitions });

const linksOf = async (partitions: number) => {
  const links = connectStream({ url, ...eventsOf(partitions), log: recordedLog().log, name: 'test' });
  opened.push(links);
  await vi.waitFor(async () => expect(await links.answers()).toBe(true), soon);
  return { ...links, partitions };
};
const publisherOf = async (partitions: number) => createPublisher(await linksOf(partitions), eventsOf(partitions));

/** The ids by node, of the partitions of each count in turn. */
const found = async (...counts: ReadonlyArray<number>) => {
  const { root } = await linksOf(1);
  const streams = counts.flatMap((partitions) => partitionStreams({ stream, partitions }));
  const pages = await Promise.all(streams.map((name) => root.client.xRange(name, '-', '+')));
  return idsByNode(pages.flatMap((page) => page ?? []));
};

test('the events of a node go to one partition, those of all nodes to all', async () => {
  const publisher = await publisherOf(4);
  const nodes = Array.from({ length: 40 }, () => randomUUID());
  for (const nodeId of nodes) await publisher.append({ nodeId, events: [eventOf(nodeId, 1), eventOf(nodeId, 2)] });
  const { root } = await linksOf(1);
  for (const [index, name] of partitionStreams({ stream, partitions: 4 }).entries()) {
    const own = nodes.filter((nodeId) => partitionOf(nodeId, 4) === index);
    expect(own.length).toBeGreaterThan(0);
    expect([...idsByNode(await root.client.xRange(name, '-', '+')).keys()]).toEqual(own);
  }
});

test('a process with another count publishes nothing', async () => {
  const nodeId = randomUUID();
  await (await publisherOf(1)).append({ nodeId, events: [eventOf(nodeId, 1)] });
  const other = await publisherOf(4);
  await expect(other.append({ nodeId, events: [eventOf(nodeId, 1)] })).rejects.toThrow(
    'the stream\'s partitions are "1", not 4 as EVENT_STREAM_PARTITIONS says',
  );
  expect(await found(4)).toEqual(new Map());
});

test.each([
  [1, 4],
  [4, 2],
  [3, 1],
])('from %d partitions to %d under load: nothing is lost, repeated or out of order', async (from, to) => {
  const load = startLoad(8, await publisherOf(from), await publisherOf(to)); // a restart of one process after the other
  await vi.waitFor(() => expect(load.published()).toBeGreaterThan(100), soon);
  const sides = { from: await linksOf(from), to: await linksOf(to) };
  expect(await changePartitions({ stream, ...sides, replicasRequired: 0 })).toBe(8);
  const before = load.published();
  await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 100), soon);
  const published = await load.stop();
  expect(compare(published, await found(from, to))).toEqual({ lost: 0, repeated: 0, disordered: 0 });
  expect((await found(to)).size).toBe(8);
});

test('a change that broke off takes no event, and is carried on by calling it again', async () => {
  const [old, wanted] = [await linksOf(1), await linksOf(2)];
  const [before, after] = [createPublisher(old, eventsOf(1)), createPublisher(wanted, eventsOf(2))];
  const batch = (nodeId: string, ...numbers: ReadonlyArray<number>) => ({
    nodeId,
    events: numbers.map((number) => eventOf(nodeId, number)),
  });
  const nodeId = randomUUID();
  await before.append(batch(nodeId, 1));
  const { links } = wanted;
  await expect(
    changePartitions({
      stream,
      from: old,
      to: { ...wanted, links: links.map((link) => ({ ...link, client: Object.create(null) })) },
      replicasRequired: 0,
    }),
  ).rejects.toThrow();
  await expect(before.append(batch(nodeId, 1, 2))).rejects.toThrow('"1>2"');
  await expect(after.append(batch(nodeId, 1, 2))).rejects.toThrow('"1>2"');
  await changePartitions({ stream, from: old, to: wanted, replicasRequired: 0 });
  expect(await after.append(batch(nodeId, 1, 2))).toMatchObject({ added: 1 });
  expect(await found(1, 2)).toEqual(new Map([[nodeId, [1, 2].map((number) => eventOf(nodeId, number).sequenceId)]]));
});

test('consumers that read the old partitions to their end, then the new ones, handle each event once and in order', async () => {
  const group = `group-${randomUUID()}`;
  const handled: (readonly [string, string])[] = [];
  const consume = async (partitions: number): Promise<void> => {
    const stopping = new AbortController();
    const { root } = await linksOf(1);
    const streams = partitionStreams({ stream, partitions });
    const running = consumeEvents({
      ...{ redis: { url }, stream, partitions, group, claimAfterMs: 5_000, handle: () => undefined },
      onHandled: ({ aggregateId, sequenceId }) => handled.push([aggregateId, sequenceId]),
      signal: stopping.signal,
    });
    await vi.waitFor(async () => {
      for (const name of streams) {
        expect(await root.client.xInfoGroups(name)).toMatchObject([{ lag: 0, pending: 0 }]);
      }
    }, soon);
    stopping.abort();
    await running;
  };
  const load = startLoad(5, await publisherOf(1), await publisherOf(3));
  await vi.waitFor(() => expect(load.published()).toBeGreaterThan(50), soon);
  await changePartitions({ stream, from: await linksOf(1), to: await linksOf(3), replicasRequired: 0 });
  const before = load.published();
  await vi.waitFor(() => expect(load.published()).toBeGreaterThan(before + 50), soon);
  const published = await load.stop();
  await consume(1);
  await consume(3);
  const byNode = new Map([...published.keys()].map((nodeId) => [nodeId, [] as string[]]));
  for (const [nodeId, id] of handled) byNode.get(nodeId)?.push(id);
  expect(byNode).toEqual(published);
});

test('a command that follows the stream gets the events of all partitions, and says so where the count is another one', async () => {
  const publisher = await publisherOf(3);
  const nodes = Array.from({ length: 12 }, () => randomUUID());
  for (const nodeId of nodes) await publisher.append({ nodeId, events: [eventOf(nodeId, 1)] });
  const follow = async (partitions: number) => {
    const took: Entry[] = [];
    const outcome = await followStream({
      ...{ redis: { url }, stream, partitions, from: { _tag: 'Newest', count: 100 }, report: () => undefined },
      signal: AbortSignal.timeout(20_000),
      onEntries: (entries, isCurrent) => {
        took.push(...entries);
        return !isCurrent;
      },
    });
    return { outcome, took };
  };
  const { outcome, took } = await follow(3);
  expect(outcome).toEqual(E.right(undefined));
  expect(took.flatMap(({ event }) => (E.isRight(event) ? [event.right.aggregateId] : [])).sort()).toEqual(nodes.sort());
  expect((await follow(1)).outcome).toMatchObject({ left: expect.anything() });
});
