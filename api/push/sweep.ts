import { inParallel } from '../../process/in-parallel';
import type { Log } from '../../process/log';
import type { Note, Notes } from './notes';

export interface SweepParts {
  readonly notes: Notes;
  readonly publishNow: (nodeId: string) => Promise<boolean>;
  readonly log: Log;
}

export interface Sweep {
  /** Ends it, once the pass that is under way is over. */
  readonly close: () => Promise<void>;
}

/** Time between two passes, and the age from which a note that nobody sees to counts as forsaken (ms). */
const EVERY_MS = 2_000;
const FORSAKEN_AFTER_MS = 10_000;
/** A group whose fate is unknown may still be carried out: its node is asked again in every pass up to this age. */
const KEPT_FOR_MS = 60_000;
/** Nodes that are asked at once. */
const AT_ONCE = 8;

/**
 * Says in Redis that this process lives, and asks the nodes of forsaken notes to publish by themselves: those of processes
 * that died, and those of groups of ours whose fate is unknown. A node that has nothing to publish refuses, which costs no write.
 */
export const startSweep = ({ notes, publishNow, log }: SweepParts): Sweep => {
  let isClosed = false;
  const pass = async (): Promise<void> => {
    const forsaken = await notes.forsaken(FORSAKEN_AFTER_MS);
    const nodes = [...new Set(forsaken.map(({ nodeId }) => nodeId))];
    if (nodes.length > 0) log.info({ nodes: nodes.length }, 'forsaken notes: their nodes publish');
    const told = new Set<string>();
    const tell = async (nodeId: string): Promise<void> => {
      if (await publishNow(nodeId)) told.add(nodeId);
    };
    await inParallel(nodes, AT_ONCE, tell, () => !isClosed);
    const isDone = ({ nodeId, since }: Note): boolean => told.has(nodeId) && Date.now() - since > KEPT_FOR_MS;
    await notes.remove(forsaken.filter(isDone));
  };
  let current: Promise<void> | undefined;
  /** One pass at a time: those that came due while nodes kept one waiting must not all begin once they answer. */
  const begin = (): void => {
    current ??= pass()
      .catch((error: unknown) => {
        log.debug({ reason: String(error) }, 'notes could not be swept');
      })
      .finally(() => {
        current = undefined;
      });
  };
  const live = (): void => {
    notes.stayAlive().catch(() => undefined);
  };
  live();
  const timers = [setInterval(live, EVERY_MS), setInterval(begin, EVERY_MS)];
  return {
    close: async () => {
      isClosed = true;
      timers.forEach(clearInterval);
      await current;
    },
  };
};
