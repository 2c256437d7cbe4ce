import * as E from 'fp-ts/Either';
import { pause } from '../process/backoff';
import type { Log } from '../process/log';
import { EventType, type StreamEvent } from '../workflows/domain/node/events';
import { entriesIn, isBefore, readEntry, type Entry } from './entry';
import { pageSizes } from './pages';

/** The commands that following needs of a Redis client. */
export interface StreamReader {
  readonly xRead: (
    from: { readonly key: string; readonly id: string },
    options: { readonly COUNT: number; readonly BLOCK: number },
  ) => Promise<unknown>;
  /** `entries-added`: ever; a Redis before 7 does not report it. */
  readonly xInfoStream: (
    stream: string,
  ) => Promise<{ readonly 'last-generated-id': string; readonly 'entries-added'?: number }>;
}

/** What one read of the stream brought; no entries where none came within `BLOCK_MS`. */
interface Page {
  readonly entries: ReadonlyArray<Entry>;
  /** More entries may be there already. */
  readonly isFull: boolean;
  /** The connection that was read by, and when the read began (ms of `performance.now()`). */
  readonly reader: Reader;
  readonly began: number;
}

type Reader = Pick<StreamReader, 'xRead'>;

/** How long a read waits for an entry, and the pause after one that failed (ms). */
const BLOCK_MS = 200;
const PAUSE_MS = 200;

/**
 * The stream page by page behind the entry `from`, until the signal aborts, by the connection that `redis` has at the time. Left:
 * why a read failed; the next one begins where it did. Whether entries were missed between two pages is for the reader to prove.
 */
export async function* pagesOf(
  redis: { readonly client: Reader },
  stream: string,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<E.Either<unknown, Page>> {
  let position = from;
  const sizes = pageSizes();
  while (!signal.aborted) {
    const count = sizes.next();
    const [reader, began] = [redis.client, performance.now()];
    let entries: ReadonlyArray<Entry>;
    try {
      entries = entriesIn(await reader.xRead({ key: stream, id: position }, { COUNT: count, BLOCK: BLOCK_MS }));
    } catch (error) {
      yield E.left(error);
      await pause(PAUSE_MS, signal);
      continue;
    }
    position = entries.at(-1)?.id ?? position;
    sizes.took(entries);
    yield E.right({ entries, isFull: entries.length === count, reader, began });
  }
}

interface FollowSettings {
  readonly stream: string;
  readonly redis: { readonly client: StreamReader };
  /** About how many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  readonly take: (nodeId: string, event: StreamEvent) => void;
  /** Events of the stream were missed: what is cached may be wrong. */
  readonly missed: () => void;
  readonly log: Log;
}

/** The position in a stream that never had an entry. */
const NOWHERE = '0-0';

/** Where the stream was joined: by which connection, behind which entry, and how many had been added until then. */
interface Joined {
  readonly reader: Reader;
  readonly added: number | undefined;
  position: string;
  read: number;
}

/**
 * Takes every event of `stream` from now on, in order. After an outage, or when entries may have been trimmed unread, it compares how
 * many were added with how many it read; where they differ, it calls `missed` and begins anew at the end of the stream.
 */
export const followEvents = ({ redis, stream, maxLength, take, missed, log }: FollowSettings) => {
  const closing = new AbortController();
  const { signal } = closing;
  let asOf = -Infinity;

  const follow = async (joined: Joined): Promise<void> => {
    let { reader } = joined;
    let isProven = true;
    for await (const page of pagesOf(redis, stream, joined.position, signal)) {
      if (E.isLeft(page)) {
        ensureProvable(joined, page.left);
        isProven = false;
        continue;
      }
      const { entries, isFull, began } = page.right;
      if (reader !== page.right.reader) [reader, isProven] = [page.right.reader, false]; // perhaps of another server
      for (const { id, fields } of entries) {
        joined.position = id;
        joined.read += 1;
        const event = readEntry(fields);
        if (E.isRight(event)) take(event.right.aggregateId, event.right);
        else if (EventType.is(fields['type'])) unreadable(id, event.left);
      }
      // So far behind, entries may be trimmed before they are read.
      if (isFull || (maxLength > 0 && entries.length >= maxLength)) isProven = false;
      else if ((isProven ||= await isWhole(joined))) asOf = began;
    }
  };
  /** An event of ours that this release cannot read, or that somebody forged: nobody knows what it changed. */
  const unreadable = (entry: string, reason: string): void => {
    log.warn({ entry, reason }, 'an event of the stream cannot be read: nodes are asked again');
    missed();
  };
  /** Whether nothing was missed; false also while entries are still to be read, or Redis does not answer. */
  const isWhole = async (joined: Joined): Promise<boolean> => {
    const { added, position, read } = joined;
    const now = await stateOf(redis.client, stream).catch((error: unknown) => ensureProvable(joined, error));
    if (now === undefined || (now.last !== position && isBefore(position, now.last))) return false;
    if (now.last !== position || added === undefined || now.added !== added + read) throw new Missed();
    return true;
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const reader = redis.client;
        const { last, added } = await stateOf(reader, stream);
        await follow({ reader, added, position: last, read: 0 });
      } catch (error) {
        if (error instanceof Missed) log.warn('events of the stream were missed: nodes are asked again');
        else await pause(PAUSE_MS, signal);
      }
      asOf = -Infinity;
      missed();
    }
  };
  const running = run();
  return {
    /** Time (ms of `performance.now()`, which no setting of the clock moves) up to which all events are taken; -Infinity where unknown. */
    currentAsOf: (): number => asOf,
    close: (): Promise<void> => {
      closing.abort();
      return running;
    },
  };
};

class Missed extends Error {}

/** After a failure a stream without entries proves nothing: one that got some and lost them, unread, looks the same. */
const ensureProvable = ({ position }: Joined, failure: unknown): undefined => {
  if (position === NOWHERE) throw failure;
  return undefined;
};

const stateOf = (redis: StreamReader, stream: string) =>
  redis.xInfoStream(stream).then(
    ({ 'last-generated-id': last, 'entries-added': added }) => ({ last, added }),
    (error: unknown) => {
      if (error instanceof Error && error.message.includes('no such key')) return { last: NOWHERE, added: 0 };
      throw error;
    },
  );
