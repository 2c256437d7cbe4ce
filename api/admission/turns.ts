import { createWaitingList, type WaitingList } from './waiting-list';

/** A user has too much waiting if more than `CROWD` pieces of work wait, the first for longer than this (ms). */
const LONGEST_MS = 300;
const CROWD = 64;

/** Whether the user has too much waiting, so that further work of this user should be refused. */
export const hasTooManyWaiting = <Work extends { readonly since: number }>(
  list: WaitingList<Work>,
  userId: string,
): boolean => {
  const oldest = list.of(userId) > CROWD ? list.oldestOf(userId) : undefined;
  return oldest !== undefined && performance.now() - oldest.since > LONGEST_MS;
};

/** Most turns of the event loop in a row that are left to more urgent work. */
const MOST_LEFT = 8;

/**
 * Spreads work that blocks the process over turns of the event loop, with `most` pieces per turn. Users take turns. While
 * `isUrgent` returns true, turns are left to more urgent work, but at most `MOST_LEFT` in a row.
 */
export const createTurns = (most = 1, isUrgent = (): boolean => false) => {
  const list = createWaitingList<{ readonly since: number; readonly begin: () => void }>();
  let skippedTurns = 0;
  const runTurn = (): void => {
    skippedTurns = isUrgent() && skippedTurns < MOST_LEFT ? skippedTurns + 1 : 0;
    for (let done = 0; skippedTurns === 0 && done < most; done += 1) list.next()?.[1].begin();
    if (list.turns() > 0) setImmediate(runTurn);
  };
  return {
    runInTurn: async <A>(userId: string, work: () => A): Promise<A> => {
      await new Promise<void>((begin) => {
        list.add(userId, { since: performance.now(), begin });
        if (list.turns() === 1) setImmediate(runTurn);
      });
      return work();
    },
    isFull: (userId: string): boolean => hasTooManyWaiting(list, userId),
  };
};
