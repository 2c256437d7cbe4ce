import { COUNT_FIELD, publishedKey, type Partitioned } from './partitions';

/** The commands that opening needs of a Redis client. */
interface Opener {
  readonly eval: (
    script: string,
    options: { readonly keys: string[]; readonly arguments: string[] },
  ) => Promise<unknown>;
}
interface Marker {
  readonly hSetNX: (key: string, field: string, value: string) => Promise<unknown>;
}

export interface Opening {
  /** The server that keeps the root: the hash of the stream when it has one partition, in which its count stands. */
  readonly root: Opener;
  /** The server that keeps the partition. */
  readonly client: Marker;
  readonly stream: string;
  readonly of: Partitioned;
}

/**
 * The count that the stream has from now on: what the root says, one where it was published to without a word of it, and the
 * wanted count where it is new.
 */
const CLAIM = `
local count = redis.call('HGET', KEYS[1], ARGV[1])
if count then return count end
if redis.call('EXISTS', KEYS[1]) == 1 then return '1' end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return ARGV[2]
`;

/** Opens a partition that never was open, unless the stream has another count. One that was closed stays closed. */
export const openPartition = async ({ root, client, stream, of }: Opening): Promise<void> => {
  const wanted = String(of.partitions);
  const count = await root.eval(CLAIM, { keys: [publishedKey(of.stream)], arguments: [COUNT_FIELD, wanted] });
  if (count !== wanted) throw new OtherPartitions(String(count), of.partitions);
  await client.hSetNX(publishedKey(stream), COUNT_FIELD, wanted);
};

/** The stream has another count of partitions than this process is set to, or it is changed at this moment. */
export class OtherPartitions extends Error {
  constructor(count: string, partitions: number) {
    super(
      `the stream's partitions are "${count}", not ${partitions} as EVENT_STREAM_PARTITIONS says: docs/events.md, "Partitions"`,
    );
  }
}
