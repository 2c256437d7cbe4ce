import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../process/log';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';

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
  readonly redis: StreamReader;
  readonly stream: string;
  readonly take: (nodeId: string, event: OutboxEvent) => void;
  /** Something of the stream was missed: what is remembered may be wrong. */
  readonly missed: () => void;
  readonly log: Log;
}

export interface Following {
  /** Up to when all events are known to be taken (epoch ms); 0 where that is not known. */
  readonly currentAsOf: () => number;
  readonly close: () => Promise<void>;
}

/** Entries read at once, how long a read waits for one, and the pause after one that failed (ms). */
const PAGE = 1_000;
const BLOCK_MS = 200;
const PAUSE_MS = 200;

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
export const followEvents = ({ redis, stream, take, missed, log }: FollowParts): Following => {
  const closing = new AbortController();
  const isClosing = (): boolean => closing.signal.aborted;
  let asOf = 0;

  const follow = async (joined: Joined): Promise<void> => {
    let isProven = true;
    while (!isClosing()) {
      const began = Date.now();
      try {
        const entries = entriesOf(
          await redis.xRead({ key: stream, id: joined.position }, { COUNT: PAGE, BLOCK: BLOCK_MS }),
        );
        for (const { id, message } of entries) {
          joined.position = id;
          joined.read += 1;
          const event = eventOf(message);
          if (event !== undefined) take(event.nodeId, event.event);
        }
        if (entries.length >= PAGE) {
          isProven = false; // so far behind, entries may be trimmed before they are read
          continue;
        }
        if (!isProven && !(isProven = await isWhole(joined))) continue;
        asOf = began;
      } catch (error) {
        if (error instanceof Missed) throw error;
        isProven = false;
        await pause();
      }
    }
  };
  /** Whether nothing was missed; not told while entries are still to be read. */
  const isWhole = async ({ added, position, read }: Joined): Promise<boolean> => {
    const now = await stateOf(redis, stream);
    if (now.last !== position && isBehind(position, now.last)) return false;
    if (now.last !== position || added === undefined || now.added !== added + read) throw new Missed();
    return true;
  };
  const run = async (): Promise<void> => {
    while (!isClosing()) {
      try {
        const { last, added } = await stateOf(redis, stream);
        await follow({ added, position: last, read: 0 });
      } catch (error) {
        if (error instanceof Missed) log.warn('events of the stream were missed: nodes are asked again');
        else await pause();
      }
      asOf = 0;
      missed();
    }
  };
  const pause = (): Promise<unknown> => sleep(PAUSE_MS, undefined, { signal: closing.signal }).catch(() => undefined);
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
    if (error instanceof Error && error.message.includes('no such key')) return { last: '0-0', added: 0 };
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
  readonly message: Readonly<Record<string, string | undefined>>;
}

const entriesOf = (reply: unknown): ReadonlyArray<Entry> =>
  (reply as ReadonlyArray<{ readonly messages: ReadonlyArray<Entry> }> | null)?.[0]?.messages ?? [];

/** The event of an entry that this service wrote; what others put into the stream is passed over. */
const eventOf = (message: Entry['message']): { readonly nodeId: string; readonly event: OutboxEvent } | undefined => {
  const { aggregateId, sequenceId, timestamp, type, data, userId } = message;
  if (aggregateId === undefined || sequenceId === undefined || data === undefined || userId === undefined)
    return undefined;
  if (type !== 'PointAlarmStatusEvent' && type !== 'SetPointAlarmThresholdEvent') return undefined;
  try {
    const content = JSON.parse(data) as OutboxEvent['data'];
    return { nodeId: aggregateId, event: { type, sequenceId, timestamp: Number(timestamp), userId, data: content } };
  } catch {
    return undefined;
  }
};
