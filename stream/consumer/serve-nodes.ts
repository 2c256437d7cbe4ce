import { backoffMs, pause } from '../../process/backoff';
import { isBefore } from '../entry';
import type { Consumer } from './consumer';
import type { PendingEntry } from './group';
import { handleEntry } from './handle-entry';

/** The entries of one node that this consumer has to handle, in stream order. The first is being handled. */
interface NodeQueue {
  readonly entries: PendingEntry[];
  /** Whether the first entry waits because something that its handler needs is unavailable (`NotNow`). */
  isPostponed: boolean;
}

/** No new entries are read while entries of this many nodes are being handled. */
const MOST_NODES = 64;
/** If so many nodes are postponed, new entries would probably be postponed, too, so no new entries are read. */
const MOST_POSTPONED = 16;
/** The most entries that this process holds; each of them takes some 200 bytes. */
const MOST_HELD = 10_000;
/** Pauses (ms) before the next try of a node's first entry, for each outcome of its last try. */
const PAUSES = {
  failed: { firstMs: 20, longestMs: 1_000 },
  waits: { firstMs: 20, longestMs: 500 },
  postponed: { firstMs: 200, longestMs: 5_000 },
  unavailable: { firstMs: 200, longestMs: 1_000 },
};

type Outcome = keyof typeof PAUSES | 'done';

/**
 * Handles the entries of each node one after another, and those of different nodes concurrently. So a node that hangs, fails or
 * waits delays no other node. Once the consumer's signal aborts, it begins no entry. `outage` gets errors of Redis.
 */
export const serveNodes = (consumer: Consumer, outage: (error: unknown) => void) => {
  const { signal } = consumer;
  const queues = new Map<string, NodeQueue>();
  /** The ids of all entries in `queues`. */
  const heldIds = new Set<string>();
  const running = new Set<Promise<void>>();
  const attempt = (entry: PendingEntry, isAgain: boolean): Promise<Outcome> =>
    handleEntry(consumer, entry, isAgain).catch((error: unknown) => {
      outage(error);
      return 'unavailable';
    });
  const handleQueue = async (node: string, queue: NodeQueue): Promise<void> => {
    const { entries } = queue;
    let tries = 0;
    let outcome: Outcome = 'done';
    for (;;) {
      const [entry] = entries;
      if (entry === undefined || signal.aborted) break;
      outcome = await attempt(entry, outcome === 'unavailable');
      queue.isPostponed = outcome === 'postponed';
      tries = outcome === 'done' ? 0 : tries + 1;
      if (outcome === 'done') removeEntry(entries, entry);
      else await pause(backoffMs(PAUSES[outcome], tries - 1), signal);
    }
    queues.delete(node);
  };
  const removeEntry = (entries: PendingEntry[], entry: PendingEntry): void => {
    entries.splice(entries.indexOf(entry), 1);
    heldIds.delete(entry.id);
  };
  return {
    addEntries: (entries: ReadonlyArray<PendingEntry>): void => {
      for (const entry of entries) {
        if (heldIds.has(entry.id)) continue;
        heldIds.add(entry.id);
        const existing = queues.get(entry.node);
        if (existing !== undefined) insert(existing.entries, entry);
        else {
          const queue: NodeQueue = { entries: [entry], isPostponed: false };
          queues.set(entry.node, queue);
          const served = handleQueue(entry.node, queue).then(() => void running.delete(served));
          running.add(served);
        }
      }
    },
    hasRoom: (): boolean => {
      const waiting = [...queues.values()].filter(({ isPostponed }) => isPostponed).length;
      return queues.size - waiting < MOST_NODES && waiting < MOST_POSTPONED && heldIds.size < MOST_HELD;
    },
    /** Resolves when no entry is being handled any more. Call it after the signal has aborted. */
    whenIdle: (): Promise<unknown> => Promise.all(running),
  };
};

/** Inserts an entry in the order of the stream. It searches from the end, because most entries come in order. */
const insert = (entries: PendingEntry[], entry: PendingEntry): void => {
  const after = entries.findLastIndex(({ id }) => isBefore(id, entry.id));
  entries.splice(after + 1, 0, entry);
};
