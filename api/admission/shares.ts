import { hasTooManyWaiting } from './turns';
import { createWaitingList } from './waiting-list';

/**
 * At most `most` places for work that waits for another service. Users take turns. A user gets another place only while more
 * places are free than the user holds, so that slow work of one user never takes all places. Memory is shared by the same rule
 * (api/http/memory-budget.ts).
 */
export const createShares = (most: number) => {
  const list = createWaitingList<{ readonly since: number; readonly begin: () => void }>();
  const placesByUser = new Map<string, number>();
  let freePlaces = most;
  const mayTakePlace = (userId: string): boolean => freePlaces > (placesByUser.get(userId) ?? 0);
  /** The next work that may begin. Without a free place the search is skipped, as it would pass over every user in vain. */
  const nextWork = () => (freePlaces > 0 ? list.next(mayTakePlace) : undefined);
  const beginWork = (): void => {
    for (let next = nextWork(); next !== undefined; next = nextWork()) {
      const [userId, { begin }] = next;
      placesByUser.set(userId, (placesByUser.get(userId) ?? 0) + 1);
      freePlaces -= 1;
      begin();
    }
  };
  const releasePlace = (userId: string): void => {
    const own = (placesByUser.get(userId) ?? 0) - 1;
    if (own > 0) placesByUser.set(userId, own);
    else placesByUser.delete(userId);
    freePlaces += 1;
    beginWork();
  };
  const waitForPlace = (userId: string, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const unit = { since: performance.now(), begin: () => resolve(true) };
      const giveUp = (): void => {
        list.remove(userId, unit);
        resolve(false);
      };
      if (signal.aborted) return void resolve(false);
      signal.addEventListener('abort', giveUp, { once: true });
      list.add(userId, unit);
      beginWork();
    });
  return {
    isFull: (userId: string): boolean => hasTooManyWaiting(list, userId),
    /** Runs `work` once the user has a place. The result is undefined if `signal` aborts before that. */
    run: async <A>(userId: string, signal: AbortSignal, work: () => Promise<A>): Promise<A | undefined> => {
      if (!(await waitForPlace(userId, signal))) return undefined;
      try {
        return await work();
      } finally {
        releasePlace(userId);
      }
    },
  };
};
