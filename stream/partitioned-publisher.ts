import type { EventSettings } from '../process/settings';
import { createStreamPublisher, UnopenedPartition, type ScriptRunner, type StreamSettings } from './append';
import type { StreamLinks } from './connection';
import { openPartition } from './open-partition';
import { partitionOf, partitionStreams } from './partitions';
import type { Publisher } from './publisher';

/** Publishes each node's events to its partition. The partitions of a new stream are opened as they are first needed. */
export const createPublisher = ({ links, root }: StreamLinks, events: EventSettings): Publisher => {
  const publishers = partitionStreams(events).flatMap((stream, at) => {
    const link = links[at];
    return link === undefined ? [] : [{ stream, link, publisher: publisherOf(link, { ...events, stream }) }];
  });
  return {
    append: async (batch) => {
      const partition = publishers[partitionOf(batch.nodeId, events.partitions)];
      if (partition === undefined) throw new Error('there is no link to the partition');
      const { stream, link, publisher } = partition;
      return publisher.append(batch).catch(async (error: unknown) => {
        if (!(error instanceof UnopenedPartition)) throw error;
        await openPartition({ root: root.client, client: link.client, stream, of: events });
        return publisher.append(batch);
      });
    },
  };
};

/** By the connection that the link has at the time. */
const publisherOf = (link: { readonly client: ScriptRunner }, settings: StreamSettings): Publisher => {
  const publishers = new WeakMap<ScriptRunner, Publisher>();
  return {
    append: (batch) => {
      const { client } = link;
      const publisher = publishers.get(client) ?? createStreamPublisher(client, settings);
      publishers.set(client, publisher);
      return publisher.append(batch);
    },
  };
};
