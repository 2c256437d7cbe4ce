import * as E from 'fp-ts/Either';
import { type Problem, tooMany, unavailable } from './problems/problem';

/** Overhead in bytes of each piece of a body or an answer: a body can arrive in chunks of one byte. */
export const BYTES_OF_A_PIECE = 256;

export type MemoryBudget = ReturnType<typeof createMemoryBudget>;
export type Reservation = ReturnType<MemoryBudget>;
export type Take = Reservation['take'];

/**
 * The memory of all calls in flight, for the bodies that came and for the answers to batches: at most `most` bytes. A user may hold
 * as much as is left for others, so whoever comes finds some (Choudhury and Hahne, "Dynamic queue length thresholds for
 * shared-memory packet switches", 1998).
 */
export const createMemoryBudget = (most: number) => {
  const held = new Map<string, number>();
  let left = most;
  /** The memory of one call. */
  return (userId: string) => {
    let [taken, isReleased] = [0, false];
    return {
      /** Bytes that the calls of a user hold at most, also where no other user has any. */
      share: Math.floor(most / 2),
      /** Takes more bytes. Left: 429 for a user with as much as is left; 503 for another one, and once it is released. */
      take: (bytes: number): E.Either<Problem, void> => {
        const own = held.get(userId) ?? 0;
        if (isReleased) return E.left(noneLeft); // nobody would give it back
        if (bytes > left || (own > 0 && own + bytes > left)) return E.left(own > 0 ? ownShare : noneLeft);
        held.set(userId, own + bytes);
        left -= bytes;
        taken += bytes;
        return E.right(undefined);
      },
      release: (): void => {
        const own = (held.get(userId) ?? 0) - taken;
        if (own > 0) held.set(userId, own);
        else held.delete(userId);
        left += taken;
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
