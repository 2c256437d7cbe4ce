import { createWaitingList } from './waiting-list';

/** How many turns in a row are left to what is more urgent. */
const MOST_LEFT = 8;

/**
 * Runs work that blocks the process: `most` pieces for each turn of the event loop, and users take turns. It leaves turns in which
 * something more urgent `isUrgent`, but not for ever.
 */
export const createTurns = (
  most = 1,
  isUrgent = (): boolean => false,
): (<A>(userId: string, work: () => A) => Promise<A>) => {
  const list = createWaitingList<() => void>();
  let left = 0;
  const drive = (): void => {
    left = isUrgent() && left < MOST_LEFT ? left + 1 : 0;
    for (let done = 0; left === 0 && done < most; done += 1) list.next()?.();
    if (list.turns() > 0) setImmediate(drive);
  };
  return async (userId, work) => {
    await new Promise<void>((resolve) => {
      list.add(userId, resolve);
      if (list.turns() === 1) setImmediate(drive);
    });
    return work();
  };
};
