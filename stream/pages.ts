import * as E from 'fp-ts/Either';
import { pause } from '../process/backoff';
import { isBefore, type Entry } from './entry';
import type { RedisClient } from './redis-connection';

/* Reads of more than one entry are split into pages, because Redis serves no other client while it builds an answer. */

/**
 * `MOST_ENTRIES`: most entries per page. `MOST_BYTES`: size (bytes of text) that a page should not exceed. The size of entries
 * is unknown before a read, so a page of large entries after small ones may be up to 12.5 times too large (100 entries of 128
 * KiB). So `MOST_ENTRIES` is low, which hardly slows a read of the whole stream.
 */
export const MOST_ENTRIES = 100;
const MOST_BYTES = 1_048_576;
/** Assumed size (bytes) of an entry before the first page was read. */
const LARGE_ENTRY = 131_072;

/**
 * Chooses how many entries the next page asks for, from the size of the largest recent entry: Redis can limit a read only by
 * its number of entries. The assumed size falls by at most a quarter per page, so it stays high while sizes vary.
 */
export const pageSizes = () => {
  let largest = LARGE_ENTRY;
  return {
    next: (): number => Math.min(MOST_ENTRIES, Math.max(1, Math.floor(MOST_BYTES / largest))),
    adjust: (entries: ReadonlyArray<Entry>): void => {
      if (entries.length > 0) largest = Math.max(largest * 0.75, ...entries.map(sizeOf));
    },
  };
};

const sizeOf = ({ fields }: Entry): number =>
  Object.values(fields).reduce((sum, text = '') => sum + Buffer.byteLength(text), 0);

const PAUSE_MS = 200;

/**
 * Yields the newest `most` entries of the stream, newest first, page by page, until the signal aborts. If a read fails, it
 * yields the error as Left, and the next read begins at the same entry.
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
    sizes.adjust(entries);
    left = entries.length < count ? 0 : left - entries.length;
    from = `(${entries.at(-1)?.id ?? ''}`;
  }
}

/** All entries of the stream after the entry `after`, oldest first. */
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
