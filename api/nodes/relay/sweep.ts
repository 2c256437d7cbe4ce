import { inParallel } from '../../../process/in-parallel';
import type { Log } from '../../../process/log';
import { reasonOf } from '../../../process/reason-of';
import type { OrphanedIntent, PublishIntents } from '../../../stream/publish-intents';

export interface SweepParts {
  readonly intents: PublishIntents;
  readonly publishNow: (nodeId: string) => Promise<boolean>;
  readonly log: Log;
}

export interface Sweep {
  /** Stops the sweep after the pass in flight. */
  readonly close: () => Promise<void>;
}

/** Time between two passes, and the age from which an intent without an owner counts as orphaned (ms). */
const EVERY_MS = 2_000;
const ORPHANED_AFTER_MS = 10_000;
/** A group of unknown outcome may still be carried out: its node is asked again in every pass up to this age (ms). */
const KEPT_FOR_MS = 60_000;
/** Nodes asked concurrently. */
const AT_ONCE = 8;

/**
 * Refreshes this process's liveness key, and asks the nodes of orphaned intents to publish by themselves: intents of processes
 * that died, and of this process's groups of unknown outcome. A node with an empty outbox refuses, which costs no write.
 */
export const startSweep = ({ intents, publishNow, log }: SweepParts): Sweep => {
  let isClosed = false;
  const pass = async (): Promise<void> => {
    const orphaned = await intents.orphaned(ORPHANED_AFTER_MS);
    const nodes = [...new Set(orphaned.map(({ nodeId }) => nodeId))];
    if (nodes.length > 0) log.info({ nodes: nodes.length }, 'orphaned intents: their nodes publish');
    const confirmed = new Set<string>();
    const ask = async (nodeId: string): Promise<void> => {
      if (await publishNow(nodeId)) confirmed.add(nodeId);
    };
    await inParallel(nodes, AT_ONCE, ask, () => !isClosed);
    const isDone = ({ nodeId, ageMs }: OrphanedIntent): boolean => confirmed.has(nodeId) && ageMs > KEPT_FOR_MS;
    await intents.remove(orphaned.filter(isDone));
  };
  let current: Promise<void> | undefined;
  /** One pass at a time: passes that came due while nodes were slow must not all begin once they answer. */
  const begin = (): void => {
    current ??= pass()
      .catch((error: unknown) => {
        log.debug({ reason: reasonOf(error) }, 'intents could not be swept');
      })
      .finally(() => {
        current = undefined;
      });
  };
  const refreshLiveness = (): void => {
    intents.stayAlive().catch(() => undefined);
  };
  refreshLiveness();
  const timers = [setInterval(refreshLiveness, EVERY_MS), setInterval(begin, EVERY_MS)];
  return {
    close: async () => {
      isClosed = true;
      timers.forEach(clearInterval);
      await current;
    },
  };
};
