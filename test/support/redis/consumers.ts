import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { createPublisher } from '../../../stream/append';
import { consumeEvents, type ConsumerOptions } from '../../../stream/consumer';
import type { RedisClient } from '../../../stream/redis-connection';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { newNode } from '../../../workflows/domain/node/state';
import { setExternalAlarm } from '../commands';
import { accepted, anId, send, START } from '../scenario';
import { eventSettings } from './event-settings';

/** A stream of a test's own, and a group. */
export const names = () => ({ stream: `consumed-${randomUUID()}`, group: `group-${randomUUID()}` });
export type Names = ReturnType<typeof names>;
export const CLAIM_AFTER_MS = 2_000;
export const soon = { timeout: 60_000, interval: 50 };

/** The events of a node that got `count` commands; each is an event. */
const eventsOf = (nodeId: string, count: number): ReadonlyArray<OutboxEvent> =>
  Array.from({ length: count }).reduce(
    ({ node, events }: { node: ReturnType<typeof newNode>; events: ReadonlyArray<OutboxEvent> }, _, index) => {
      const after = accepted(send(node, setExternalAlarm({ status: index % 5 }), START + index)).node;
      return { node: { ...after, outbox: node.outbox }, events: [...events, ...after.outbox.waiting] };
    },
    { node: newNode(nodeId), events: [] },
  ).events;

export const nodesOf = (count: number, events: number) =>
  new Map(Array.from({ length: count }, (_, n) => [anId(n), eventsOf(anId(n), events)] as const));
export const idsOf = (nodes: ReadonlyMap<string, ReadonlyArray<OutboxEvent>>) =>
  new Map([...nodes].map(([nodeId, events]) => [nodeId, events.map(({ sequenceId }) => sequenceId)]));

/** Groups of the Redis at `url`, which `redis` is connected to: what is published there, consumed, and what became of it. */
export const consumersOf = (redis: RedisClient, url: string) => {
  /** Publishes the events of all nodes, some of each in turn, as a worker does. */
  const publish = async (
    stream: string,
    nodes: ReadonlyMap<string, ReadonlyArray<OutboxEvent>>,
    atOnce = 3,
  ): Promise<void> => {
    const publisher = createPublisher({ client: redis }, eventSettings({ stream }));
    for (let from = 0; [...nodes.values()].some(({ length }) => length > from); from += atOnce) {
      for (const [nodeId, events] of nodes) {
        const some = events.slice(from, from + atOnce);
        if (some.length > 0) await publisher.append({ nodeId, events: some });
      }
    }
  };
  /** A stream of a test's own, and a group, with so many nodes and events of each. */
  const published = async (count: number, events: number) => {
    const own = names();
    const nodes = nodesOf(count, events);
    await publish(own.stream, nodes);
    return { own, nodes };
  };
  /** The ids in the trail, by node, in the order in which they were handled. */
  const handled = async ({ stream, group }: Names): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
    const trail = new Map<string, string[]>();
    for (const line of await redis.lRange(`${stream}:${group}:trail`, 0, -1)) {
      const { aggregateId, sequenceId } = JSON.parse(line);
      trail.set(aggregateId, [...(trail.get(aggregateId) ?? []), sequenceId]);
    }
    return trail;
  };
  const entriesOf = async (stream: string) => (await redis.xRange(stream, '-', '+')) ?? [];
  const pending = async (stream: string, group: string) => (await redis.xPending(stream, group)).pending;

  const consumer = (own: Names, more: Partial<ConsumerOptions> = {}): ConsumerOptions => ({
    redis: { url },
    ...own,
    claimAfterMs: CLAIM_AFTER_MS,
    handle: (event) => ({ trail: JSON.stringify(event) }),
    signal: new AbortController().signal,
    ...more,
  });

  /** A consumer that runs; `stop` ends it. */
  const consuming = (own: Names, more: Partial<ConsumerOptions> = {}) => {
    const stopping = new AbortController();
    const running = consumeEvents(consumer(own, { ...more, signal: stopping.signal }));
    return {
      stop: async (): Promise<void> => {
        stopping.abort();
        await running;
      },
    };
  };

  /** Waits until the group has handled all that there is. */
  const done = ({ stream, group }: Names): Promise<void> =>
    vi.waitFor(
      async () => expect(await redis.xInfoGroups(stream)).toMatchObject([{ name: group, lag: 0, pending: 0 }]),
      soon,
    );

  /** Consumes until nothing is left, and ends the consumer. */
  const consumed = async (own: Names, more: Partial<ConsumerOptions> = {}): Promise<void> => {
    const { stop } = consuming(own, more);
    await done(own);
    await stop();
  };
  return { publish, published, handled, entriesOf, pending, consumer, consuming, done, consumed };
};
