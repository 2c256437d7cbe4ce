import { crc32 } from 'node:zlib';

/** A stream and how many partitions it has; each is a Redis stream of its own. */
export interface Partitioned {
  readonly stream: string;
  readonly partitions: number;
}

/**
 * The names of the partitions. One has the name of the stream itself; more have a hash tag each, so that all that is kept of a
 * partition lies in one slot of a cluster. The count is part of the name: what another count left behind stays apart.
 */
export const partitionStreams = ({ stream, partitions }: Partitioned): ReadonlyArray<string> =>
  partitions === 1 ? [stream] : Array.from({ length: partitions }, (_, index) => `${stream}:{${partitions}.${index}}`);

/** The index of a node's partition: the CRC-32 of its id, which every language has, modulo their count. */
export const partitionOf = (nodeId: string, partitions: number): number =>
  partitions === 1 ? 0 : crc32(nodeId) % partitions;

/** The hash beside a partition that keeps each node's last published id, and for which count the partition is open. */
export const publishedKey = (stream: string): string => `${stream}:published`;

/** The field of that hash; no node's id looks like it. */
export const COUNT_FIELD = '#partitions';

/** Whether a partition takes events, by its field: without one, only the partition of a stream that has no other. */
export const isOpen = (field: string | null | undefined, partitions: number): boolean =>
  field === undefined || field === null ? partitions === 1 : field === String(partitions);
