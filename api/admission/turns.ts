import { createWaitingList } from './waiting-list';

/** Runs work that blocks the process for milliseconds: one piece for each turn of the event loop, and users take turns. */
export const createTurns = (): (<A>(userId: string, work: () => A) => Promise<A>) => {
  const list = createWaitingList<() => void>();
  const drive = (): void => {
    list.next()?.();
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
