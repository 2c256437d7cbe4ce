import * as E from 'fp-ts/Either';
import { tooMany, unavailable, type Problem } from '../contract/problems/problem';
import type { CallMemory } from '../contract/route';

export type MemoryBudget = ReturnType<typeof createMemoryBudget>;
/** The memory of one call, which `release` gives back. */
export interface Reservation extends CallMemory {
  readonly release: () => void;
}

/**
 * A budget of `most` bytes for the bodies and the batch answers of all calls in flight. A user may hold no more than is left
 * free, so that a newcomer always finds some memory (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory
 * packet switches", 1998).
 */
export const createMemoryBudget = (most: number) => {
  const bytesByUser = new Map<string, number>();
  let freeBytes = most;
  return (userId: string): Reservation => {
    let [taken, isReleased] = [0, false];
    return {
      share: Math.floor(most / 2),
      /** Left: 503 after `release`; if the bytes do not fit, 429 if the user's calls hold some already, else 503. */
      reserveBytes: (bytes): E.Either<Problem, void> => {
        const own = bytesByUser.get(userId) ?? 0;
        if (isReleased) return E.left(noneLeft); // these bytes would never be given back
        if (bytes > freeBytes || (own > 0 && own + bytes > freeBytes)) return E.left(own > 0 ? ownShare : noneLeft);
        bytesByUser.set(userId, own + bytes);
        freeBytes -= bytes;
        taken += bytes;
        return E.right(undefined);
      },
      release: (): void => {
        const own = (bytesByUser.get(userId) ?? 0) - taken;
        if (own > 0) bytesByUser.set(userId, own);
        else bytesByUser.delete(userId);
        freeBytes += taken;
        [taken, isReleased] = [0, true];
      },
    };
  };
};

const ownShare = tooMany(
  "The bodies and batches of the user's calls in flight fill their share of the memory. Nothing was changed.",
  1,
);
const noneLeft = unavailable('The bodies and batches of all calls in flight fill the memory that they have.', false, 1);
