import * as E from 'fp-ts/Either';
import { pause } from '../process/backoff';
import type { Log } from '../process/log';
import { isEventType, type StreamEvent } from '../workflows/domain/node/events';
import { readEntry, type EntryFields } from './entry';

/** The commands that following needs of a Redis client. */
export interface StreamReader {
  readonly xRead: (
    from: { readonly key: string; readonly id: string },
    options: { readonly COUNT: number; readonly BLOCK: number },
  ) => Promise<unknown>;
  readonly xInfoStream: (stream: string) => Promise<StreamState>;
}

interface StreamState {
  readonly 'last-generated-id': string;
  /** Entries ever added; a Redis before 7 does not tell. */
  readonly 'entries-added'?: number;
}

export interface FollowParts {
  /** The connection of now, another one after each loss. */
  readonly redis: { readonly client: StreamReader };
  readonly stream: string;
  /** About how many entries the stream keeps; 0: all. */
  readonly maxLength: number;
  readonly take: (nodeId: string, event: StreamEvent) => void;
  /** Events of the stream were missed: what is cached may be wrong. */
  readonly missed: () => void;
  readonly log: Log;
}

export interface Following {
  /** Time (ms of `performance.now()`, which no setting of the clock moves) up to which all events are taken; -Infinity where unknown. */
  readonly currentAsOf: () => number;
  readonly close: () => Promise<void>;
}

/** Entries read at once, how long a read waits for one, and the pause after one that failed (ms). */
const PAGE = 1_000;
const BLOCK_MS = 200;
const PAUSE_MS = 200;

/** The position in a stream that never had an entry. */
const NOWHERE = '0-0';

/** Where the stream was joined: the entry before the first that is read, and how many had been added until then. */
interface Joined {
  readonly added: number | undefined;
  position: string;
  read: number;
}

/**
 * Takes every event of `stream` from now on, in order.
 *
 * After an outage, or when trimming may have gone past it, it counts: were more entries added than read, or is the stream
 * not the one it was, then it says so and begins anew from where the stream ends.
 */
export const followEvents = ({ redis, stream, maxLength, take, missed, log }: FollowParts): Following => {
  /** A read of so many entries, or more, may have begun behind what was trimmed. */
  const mostAtOnce = maxLength === 0 ? PAGE : Math.min(PAGE, maxLength);
  const closing = new AbortController();
  const isClosing = (): boolean => closing.signal.aborted;
  let asOf = -Infinity;

  const follow = async (joined: Joined, joinedBy: StreamReader): Promise<void> => {
    let isProven = true;
    let reader = joinedBy;
    while (!isClosing()) {
      const began = performance.now();
      if (reader !== redis.client) [reader, isProven] = [redis.client, false]; // perhaps of another server
      try {
        const entries = entriesOf(
          await reader.xRead({ key: stream, id: joined.position }, { COUNT: PAGE, BLOCK: BLOCK_MS }),
        );
        for (const { id, message } of entries) {
          joined.position = id;
          joined.read += 1;
          const event = readEntry(message);
          if (E.isRight(event)) take(event.right.aggregateId, event.right);
          else if (isEventType(message['type'])) unreadable(id, event.left);
        }
        if (entries.length >= mostAtOnce) {
          isProven = false; // so far behind, entries may be trimmed before they are read
          continue;
        }
        if (!isProven && !(isProven = await isWhole(joined))) continue;
        asOf = began;
      } catch (error) {
        // A stream without entries proves nothing: one that got some and lost them, unread, looks the same.
        if (error instanceof Missed || joined.position === NOWHERE) throw error;
        isProven = false;
        await pause(PAUSE_MS, closing.signal);
      }
    }
  };
  /** An event of ours that this release cannot read, or that somebody forged: nobody knows what it changed. */
  const unreadable = (entry: string, reason: string): void => {
    log.warn({ entry, reason }, 'an event of the stream cannot be read: nodes are asked again');
    missed();
  };
  /** Whether nothing was missed; not told while entries are still to be read. */
  const isWhole = async ({ added, position, read }: Joined): Promise<boolean> => {
    const now = await stateOf(redis.client, stream);
    if (now.last !== position && isBehind(position, now.last)) return false;
    if (now.last !== position || added === undefined || now.added !== added + read) throw new Missed();
    return true;
  };
  const run = async (): Promise<void> => {
    while (!isClosing()) {
      try {
        const reader = redis.client;
        const { last, added } = await stateOf(reader, stream);
        await follow({ added, position: last, read: 0 }, reader);
      } catch (error) {
        if (error instanceof Missed) log.warn('events of the stream were missed: nodes are asked again');
        else await pause(PAUSE_MS, closing.signal);
      }
      asOf = -Infinity;
      missed();
    }
  };
  const running = run();
  return {
    currentAsOf: () => asOf,
    close: () => {
      closing.abort();
      return running;
    },
  };
};

class Missed extends Error {}

const stateOf = async (
  redis: StreamReader,
  stream: string,
): Promise<{ readonly last: string; readonly added: number | undefined }> => {
  try {
    const state = await redis.xInfoStream(stream);
    return { last: state['last-generated-id'], added: state['entries-added'] };
  } catch (error) {
    if (error instanceof Error && error.message.includes('no such key')) return { last: NOWHERE, added: 0 };
    throw error;
  }
};

const isBehind = (id: string, other: string): boolean => {
  const [ms = 0, index = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherIndex = 0] = other.split('-').map(Number);
  return ms < otherMs || (ms === otherMs && index < otherIndex);
};

interface Entry {
  readonly id: string;
  readonly message: EntryFields;
}

const entriesOf = (reply: unknown): ReadonlyArray<Entry> =>
  (reply as ReadonlyArray<{ readonly messages: ReadonlyArray<Entry> }> | null)?.[0]?.messages ?? [];
