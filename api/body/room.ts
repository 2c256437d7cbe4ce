import * as E from 'fp-ts/Either';
import { problem, type Problem } from '../problems/problem';

/** The room that the body of one call takes. */
export interface Place {
  /** Takes room for so many bytes more, until the place is left. Errors: 429 where the user has his share, 503 where none is left. */
  readonly take: (bytes: number) => E.Either<Problem, void>;
  readonly leave: () => void;
}

/** A user alone gets one part in so many. */
const SHARES = 4;
/** Seconds after which another try is worth it. */
const RETRY_AFTER = { 'Retry-After': '1' };

/**
 * Bounds the bytes of all bodies that the calls under way have sent, by `most`, and those of one user by a quarter of it: as
 * many connections as there may be, each with the largest body, would not fit into memory.
 */
export const createRoom = (most: number): ((userId: string) => Place) => {
  const ofUsers = new Map<string, number>();
  let all = 0;
  const add = (userId: string, bytes: number): void => {
    const sum = (ofUsers.get(userId) ?? 0) + bytes;
    if (sum === 0) ofUsers.delete(userId);
    else ofUsers.set(userId, sum);
    all += bytes;
  };
  return (userId) => {
    let taken = 0;
    return {
      take: (bytes) => {
        if ((ofUsers.get(userId) ?? 0) + bytes > most / SHARES) return E.left(userHasShare);
        if (all + bytes > most) return E.left(noneLeft);
        add(userId, bytes);
        taken += bytes;
        return E.right(undefined);
      },
      leave: () => {
        add(userId, -taken);
        taken = 0;
      },
    };
  };
};

const userHasShare = problem(
  'too-many-requests',
  'The bodies of the calls that the user has under way fill his share of the memory. Nothing was changed.',
  {},
  RETRY_AFTER,
);
const noneLeft = problem(
  'unavailable',
  'The bodies of all calls under way fill the memory that they have.',
  { mayHaveChanged: false },
  RETRY_AFTER,
);
