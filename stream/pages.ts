import * as E from 'fp-ts/Either';
import { pause } from '../process/backoff';
import { isBefore, type Entry } from './entry';
import type { RedisClient } from './link';

/*
 * Every read of more than one entry goes by pages: while Redis makes an answer, it serves nobody else, and holds it in memory.
 */

/**
 * Most entries of a page, and about how many bytes of text. Nothing tells the size of entries that were not read: where large ones
 * follow small ones, one page is too large, by 12.5 times at most with the largest thresholds (128 KiB). Hence so few entries,
 * which cost a whole reading next to nothing.
 */
export const MOST_ENTRIES = 100;
const MOST_BYTES = 1_048_576;
/** Taken as the size (bytes) of an entry before any was read. */
const LARGE_ENTRY = 131_072;

/**
 * How many entries to ask for next, by the largest one of late: Redis bounds an answer by their number alone. Pages grow by a
 * third at most: where sizes change all the time, the large ones count.
 */
export const pageSizes = () => {
  let largest = LARGE_ENTRY;
  return {
    next: (): number => Math.min(MOST_ENTRIES, Math.max(1, Math.floor(MOST_BYTES / largest))),
    took: (entries: ReadonlyArray<Entry>): void => {
      if (entries.length > 0) largest = Math.max(largest * 0.75, ...entries.map(sizeOf));
    },
  };
};

const sizeOf = ({ fields }: Entry): number =>
  Object.values(fields).reduce((sum, text = '') => sum + Buffer.byteLength(text), 0);

const PAUSE_MS = 200;

/**
 * The newest `most` entries of the stream, newest first, page by page, until the signal aborts. Left: why a read failed; the next
 * one begins where it did.
 */
export async function* newestPages(
  redis: { readonly client: Pick<RedisClient, 'xRevRange'> },
  stream: string,
  most: number,
  signal: AbortSignal,
): AsyncGenerator<E.Either<unknown, ReadonlyArray<Entry>>> {
  const sizes = pageSizes();
  let [from, left] = ['+', most];
  while (left > 0 && !signal.aborted) {
    const count = Math.min(left, sizes.next());
    let entries: ReadonlyArray<Entry>;
    try {
      const found = (await redis.client.xRevRange(stream, from, '-', { COUNT: count })) ?? [];
      entries = found.map(({ id, message }) => ({ id, fields: { ...message } }));
    } catch (error) {
      yield E.left(error);
      await pause(PAUSE_MS, signal);
      continue;
    }
    yield E.right(entries);
    sizes.took(entries);
    left = entries.length < count ? 0 : left - entries.length;
    from = `(${entries.at(-1)?.id ?? ''}`;
  }
}

/** All entries behind the one of id `after`, in order. */
export const entriesAfter = async (
  client: Pick<RedisClient, 'xRevRange'>,
  stream: string,
  after: string,
): Promise<ReadonlyArray<Entry>> => {
  const found: Entry[] = [];
  for await (const page of newestPages({ client }, stream, Infinity, new AbortController().signal)) {
    if (E.isLeft(page)) throw page.left;
    const newer = page.right.filter(({ id }) => isBefore(after, id));
    found.push(...newer);
    if (newer.length < page.right.length) break;
  }
  return found.reverse();
};
