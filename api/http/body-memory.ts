import * as E from 'fp-ts/Either';
import { problem, type Problem } from './problems/problem';

/** The memory of the body of one call. */
export interface Reservation {
  /** Takes more bytes. Errors: 429 for a user with as much as is left, 503 for another one. */
  readonly take: (bytes: number) => E.Either<Problem, void>;
  readonly release: () => void;
}

/**
 * The memory of all bodies: at most `most` bytes in flight. A user may hold as much as is left for others: one alone half of it,
 * two a third each. So whoever comes finds some, however much the others send. Only bytes that came count, so a slow sender
 * holds nothing that others could use.
 *
 * Source: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998.
 */
export const createBodyMemory = (most: number): ((userId: string) => Reservation) => {
  const held = new Map<string, number>();
  let left = most;
  return (userId) => {
    let taken = 0;
    return {
      take: (bytes) => {
        const own = held.get(userId) ?? 0;
        if (bytes > left || (own > 0 && own + bytes > left)) return E.left(own > 0 ? ownShare : noneLeft);
        held.set(userId, own + bytes);
        left -= bytes;
        taken += bytes;
        return E.right(undefined);
      },
      release: () => {
        const own = (held.get(userId) ?? 0) - taken;
        if (own > 0) held.set(userId, own);
        else held.delete(userId);
        left += taken;
        taken = 0;
      },
    };
  };
};

const RETRY_AFTER = { 'Retry-After': '1' };
const ownShare = problem(
  'too-many-requests',
  "The bodies of the user's calls in flight fill their share of the memory. Nothing was changed.",
  {},
  RETRY_AFTER,
);
const noneLeft = problem(
  'unavailable',
  'The bodies of all calls in flight fill the memory that they have.',
  { mayHaveChanged: false },
  RETRY_AFTER,
);
