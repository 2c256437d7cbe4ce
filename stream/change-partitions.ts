import { createReplicated, type ReplicaWaiter } from './replicated';
import type { StreamLinks } from './connection';
import { COUNT_FIELD, partitionOf, partitionStreams, publishedKey, type Partitioned } from './partitions';

/** The commands that the change needs of a Redis client. */
interface Client extends ReplicaWaiter {
  readonly hGet: (key: string, field: string) => Promise<string | null>;
  readonly hSet: (key: string, fields: Record<string, string>) => Promise<unknown>;
  readonly hScan: (
    key: string,
    cursor: string,
    options: { readonly COUNT: number },
  ) => Promise<{
    readonly cursor: string;
    readonly entries: ReadonlyArray<{ readonly field: string; readonly value: string }>;
  }>;
}

export interface Change {
  readonly stream: string;
  /** Links to the partitions of the old count, and of the new one. */
  readonly from: Pick<StreamLinks, 'links' | 'root'> & Pick<Partitioned, 'partitions'>;
  readonly to: Pick<StreamLinks, 'links' | 'root'> & Pick<Partitioned, 'partitions'>;
  readonly replicasRequired: number;
}

/** Nodes whose last ids are moved at once. */
const PAGE = 1_000;

/**
 * Changes the count of a stream's partitions while the service runs: closes the old ones, gives the new ones the last id of
 * each node, and opens them. Nothing is published meanwhile: nodes keep their events. From the first step on no process that
 * has the old count publishes, so nothing is repeated. Answers how many nodes were moved.
 *
 * One that broke off is carried on by calling it again.
 */
export const changePartitions = async ({ stream, from, to, replicasRequired }: Change): Promise<number> => {
  const root: Client = from.root.client;
  const rootKey = publishedKey(stream);
  const changing = `${from.partitions}>${to.partitions}`;
  const count = (await root.hGet(rootKey, COUNT_FIELD)) ?? '1';
  if (count !== String(from.partitions) && count !== changing)
    throw new Error(`the stream's partitions are "${count}", not ${from.partitions}`);
  const write = async (client: Client, key: string, fields: Record<string, string>): Promise<void> => {
    await client.hSet(key, fields);
    await createReplicated(client, replicasRequired)();
  };
  await write(root, rootKey, { [COUNT_FIELD]: changing });
  const [old, wanted] = [partitionsOf(stream, from), partitionsOf(stream, to)];
  if (from.partitions > 1) for (const { client, key } of old) await write(client, key, { [COUNT_FIELD]: changing });
  let moved = 0;
  for (const { client, key } of old) {
    for (let cursor = '0', isFirst = true; isFirst || cursor !== '0'; isFirst = false) {
      const page = await client.hScan(key, cursor, { COUNT: PAGE });
      cursor = page.cursor;
      const nodes = page.entries.filter(({ field }) => field !== COUNT_FIELD);
      moved += nodes.length;
      for (const [index, { client: target, key: targetKey }] of wanted.entries()) {
        const own = nodes.filter(({ field }) => partitionOf(field, to.partitions) === index);
        if (own.length > 0)
          await write(target, targetKey, Object.fromEntries(own.map(({ field, value }) => [field, value])));
      }
    }
  }
  if (to.partitions > 1)
    for (const { client, key } of wanted) await write(client, key, { [COUNT_FIELD]: String(to.partitions) });
  await write(root, rootKey, { [COUNT_FIELD]: String(to.partitions) });
  return moved;
};

const partitionsOf = (
  stream: string,
  { partitions, links }: Change['from'],
): ReadonlyArray<{ readonly client: Client; readonly key: string }> =>
  partitionStreams({ stream, partitions }).flatMap((name, at) => {
    const link = links[at];
    return link === undefined ? [] : [{ client: link.client, key: publishedKey(name) }];
  });
