import * as E from 'fp-ts/Either';
import { pause } from '../process/backoff';
import type { Log } from '../process/log';
import { EventType, type StreamEvent } from '../workflows/domain/node/events';
import { entriesIn, isBefore, readEntry, STREAM_START, type Entry } from './entry';
import { pageSizes } from './pages';

/** The Redis commands that following the stream uses. */
export interface StreamReader {
  readonly xRead: (
    from: { readonly key: string; readonly id: string },
    options: { readonly COUNT: number; readonly BLOCK: number },
  ) => Promise<unknown>;
  /** `entries-added` is the number of entries that were ever added to the stream. Redis before version 7 does not report it. */
  readonly xInfoStream: (
    stream: string,
  ) => Promise<{ readonly 'last-generated-id': string; readonly 'entries-added'?: number }>;
}

/** The result of one read of the stream. It has no entries if none came within `BLOCK_MS`. */
interface Page {
  readonly entries: ReadonlyArray<Entry>;
  /** Whether the read returned as many entries as it asked for, so that more may be in the stream already. */
  readonly isFull: boolean;
  /** The connection of the read, and when the read began (ms of `performance.now()`). */
  readonly reader: Reader;
  readonly began: number;
}

type Reader = Pick<StreamReader, 'xRead'>;

/** `BLOCK_MS`: how long a read waits for an entry. `PAUSE_MS`: the pause after a failed read. Both in ms. */
const BLOCK_MS = 200;
const PAUSE_MS = 200;

/**
 * Reads the entries after `from` page by page, over the current connection of `redis`, until the signal aborts. A failed read
 * yields its error as Left, and the next read begins at the same entry. The caller checks that no entries were missed.
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
    sizes.adjust(entries);
    yield E.right({ entries, isFull: entries.length === count, reader, began });
  }
}

interface FollowSettings {
  readonly stream: string;
  readonly redis: { readonly client: StreamReader };
  /** About how many entries the stream keeps; 0 means all of them. */
  readonly maxLength: number;
  readonly onEvent: (nodeId: string, event: StreamEvent) => void;
  /** Called when events were missed or could not be read, so that cached values may be wrong. */
  readonly onMissed: () => void;
  readonly log: Log;
}

/** The state of following. `added`: how many entries were ever added until it began. `read`: how many were read since. */
interface ReadPosition {
  readonly reader: Reader;
  readonly added: number | undefined;
  position: string;
  read: number;
}

/**
 * Passes every event that is added to `stream` from now on to `onEvent`, in order. After an outage, or when entries may have
 * been trimmed unread, it compares how many entries the stream got with how many it read. If the numbers differ, it calls
 * `onMissed` and begins anew at the end of the stream.
 */
export const followEvents = ({ redis, stream, maxLength, onEvent, onMissed, log }: FollowSettings) => {
  const closing = new AbortController();
  const { signal } = closing;
  let asOf = -Infinity;

  const readUntilClosed = async (state: ReadPosition): Promise<void> => {
    let { reader } = state;
    let isProven = true;
    for await (const page of pagesOf(redis, stream, state.position, signal)) {
      if (E.isLeft(page)) {
        ensureProvable(state, page.left);
        isProven = false;
        continue;
      }
      const { entries, isFull, began } = page.right;
      // A new connection may lead to another server, so it has to be proven again that no entry was missed.
      if (reader !== page.right.reader) [reader, isProven] = [page.right.reader, false];
      for (const { id, fields } of entries) {
        state.position = id;
        state.read += 1;
        const event = readEntry(fields);
        if (E.isRight(event)) onEvent(event.right.aggregateId, event.right);
        else if (EventType.is(fields['type'])) reportUnreadable(id, event.left);
      }
      // If this process is a full page behind, or as many entries as the stream keeps, entries may be trimmed unread.
      if (isFull || (maxLength > 0 && entries.length >= maxLength)) isProven = false;
      else if ((isProven ||= await hasReadAll(state))) asOf = began;
    }
  };
  /** Handles an event that is forged, or that this release cannot read. What the event changed is unknown. */
  const reportUnreadable = (entry: string, reason: string): void => {
    log.warn({ entry, reason }, 'an event of the stream cannot be read: nodes are asked again');
    onMissed();
  };
  /** Whether every entry so far was read; false, too, while Redis does not answer. Throws `Missed` if some may be lost. */
  const hasReadAll = async (state: ReadPosition): Promise<boolean> => {
    const { added, position, read } = state;
    const now = await stateOf(redis.client, stream).catch((error: unknown) => ensureProvable(state, error));
    if (now === undefined || (now.last !== position && isBefore(position, now.last))) return false;
    if (now.last !== position || added === undefined || now.added !== added + read) throw new Missed();
    return true;
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const reader = redis.client;
        const { last, added } = await stateOf(reader, stream);
        await readUntilClosed({ reader, added, position: last, read: 0 });
      } catch (error) {
        if (error instanceof Missed) log.warn('events of the stream were missed: nodes are asked again');
        else await pause(PAUSE_MS, signal);
      }
      asOf = -Infinity;
      onMissed();
    }
  };
  const running = run();
  return {
    /** The time (ms of `performance.now()`, which never jumps) up to which all events were passed on; -Infinity if unknown. */
    currentAsOf: (): number => asOf,
    close: (): Promise<void> => {
      closing.abort();
      return running;
    },
  };
};

class Missed extends Error {}

/**
 * Throws `failure` if the stream had no entry yet. Then nothing can prove that no entry was missed: an empty stream looks the
 * same as one that Redis has lost together with unread entries.
 */
const ensureProvable = ({ position }: ReadPosition, failure: unknown): undefined => {
  if (position === STREAM_START) throw failure;
  return undefined;
};

const stateOf = (redis: StreamReader, stream: string) =>
  redis.xInfoStream(stream).then(
    ({ 'last-generated-id': last, 'entries-added': added }) => ({ last, added }),
    (error: unknown) => {
      if (error instanceof Error && error.message.includes('no such key')) return { last: STREAM_START, added: 0 };
      throw error;
    },
  );
