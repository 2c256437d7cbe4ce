import { createWaitingList, type WaitingList } from './waiting-list';

/** Time (ms) that work of a user waits before there is too much of it, and how much of it is never too much: patient callers. */
const LONGEST_MS = 300;
const CROWD = 64;

/** Whether so much work of the user waits, and so long already, that no more of it should be taken in. */
export const isCrowded = <Work extends { readonly since: number }>(
  list: WaitingList<Work>,
  userId: string,
): boolean => {
  const oldest = list.of(userId) > CROWD ? list.oldestOf(userId) : undefined;
  return oldest !== undefined && performance.now() - oldest.since > LONGEST_MS;
};

/** How many turns in a row are left to what is more urgent. */
const MOST_LEFT = 8;

/**
 * Turns for work that blocks the process: `most` pieces for each turn of the event loop, and users take turns. It leaves turns
 * in which something more urgent `isUrgent`, but not for ever.
 */
export const createTurns = (most = 1, isUrgent = (): boolean => false) => {
  const list = createWaitingList<{ readonly since: number; readonly begin: () => void }>();
  let left = 0;
  const drive = (): void => {
    left = isUrgent() && left < MOST_LEFT ? left + 1 : 0;
    for (let done = 0; left === 0 && done < most; done += 1) list.next()?.[1].begin();
    if (list.turns() > 0) setImmediate(drive);
  };
  return {
    /** Runs `work` when it is the user's turn. */
    inTurn: async <A>(userId: string, work: () => A): Promise<A> => {
      await new Promise<void>((begin) => {
        list.add(userId, { since: performance.now(), begin });
        if (list.turns() === 1) setImmediate(drive);
      });
      return work();
    },
    isFull: (userId: string): boolean => isCrowded(list, userId),
  };
};
