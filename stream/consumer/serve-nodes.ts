import { backoffMs, pause } from '../../process/backoff';
import { isBefore } from '../entry';
import type { Consumer } from './consumer';
import type { Held } from './group';
import { handleEntry } from './handle-entry';

/** What a consumer holds of a node, in the order of the stream; the first is in hand. */
interface Line {
  readonly entries: Held[];
  /** What its first entry needs is unavailable. */
  isPostponed: boolean;
}

/** Nodes that are handled at once. */
const MOST_NODES = 64;
/** Nodes that wait for what they need. What so many lack, all lack: nothing new is begun. */
const MOST_POSTPONED = 16;
/** Entries held, each of some 200 bytes. */
const MOST_HELD = 10_000;
/** Pauses (ms) of a node between two tries. */
const PAUSES = {
  failed: { firstMs: 20, longestMs: 1_000 },
  waits: { firstMs: 20, longestMs: 500 },
  postponed: { firstMs: 200, longestMs: 5_000 },
  unavailable: { firstMs: 200, longestMs: 1_000 },
};

type Outcome = keyof typeof PAUSES | 'done';

/**
 * Handles the entries that it is given: those of a node one after the other, several nodes at once, so that a node that hangs,
 * fails or waits holds up no other. Once the signal aborts it begins none. `outage` gets what Redis did not answer.
 */
export const serveNodes = (consumer: Consumer, outage: (error: unknown) => void) => {
  const { signal } = consumer;
  const lines = new Map<string, Line>();
  /** The ids of all entries held. */
  const held = new Set<string>();
  const serving = new Set<Promise<void>>();
  const attempt = (entry: Held, isAgain: boolean): Promise<Outcome> =>
    handleEntry(consumer, entry, isAgain).catch((error: unknown) => {
      outage(error);
      return 'unavailable';
    });
  const serve = async (node: string, line: Line): Promise<void> => {
    const { entries } = line;
    let tries = 0;
    let outcome: Outcome = 'done';
    for (;;) {
      const [entry] = entries;
      if (entry === undefined || signal.aborted) break;
      outcome = await attempt(entry, outcome === 'unavailable');
      line.isPostponed = outcome === 'postponed';
      tries = outcome === 'done' ? 0 : tries + 1;
      if (outcome === 'done') drop(entries, entry);
      else await pause(backoffMs(PAUSES[outcome], tries - 1), signal);
    }
    lines.delete(node);
  };
  const drop = (entries: Held[], entry: Held): void => {
    entries.splice(entries.indexOf(entry), 1);
    held.delete(entry.id);
  };
  return {
    hold: (entries: ReadonlyArray<Held>): void => {
      for (const entry of entries) {
        if (held.has(entry.id)) continue;
        held.add(entry.id);
        const known = lines.get(entry.node);
        if (known !== undefined) insert(known.entries, entry);
        else {
          const line: Line = { entries: [entry], isPostponed: false };
          lines.set(entry.node, line);
          const served = serve(entry.node, line).then(() => void serving.delete(served));
          serving.add(served);
        }
      }
    },
    hasRoom: (): boolean => {
      const waiting = [...lines.values()].filter(({ isPostponed }) => isPostponed).length;
      return lines.size - waiting < MOST_NODES && waiting < MOST_POSTPONED && held.size < MOST_HELD;
    },
    /** Once the signal has aborted: when nothing is in hand any more. */
    idle: (): Promise<unknown> => Promise.all(serving),
  };
};

/** Puts an entry into its place. Most come in order. */
const insert = (entries: Held[], entry: Held): void => {
  const after = entries.findLastIndex(({ id }) => isBefore(id, entry.id));
  entries.splice(after + 1, 0, entry);
};
