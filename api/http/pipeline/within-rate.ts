import * as E from 'fp-ts/Either';
import { problem, type Problem } from '../problems/problem';
import type { RateLimiter } from '../rate/rate-limiter';

interface Answering {
  readonly set: (headers: Record<string, string>) => void;
}

/** Nothing, where the user has calls left; every answer tells how many. */
export const withinRate = (limiter: RateLimiter, ctx: Answering, userId: string): E.Either<Problem, void> => {
  const { isTaken, headers } = limiter.take(userId);
  ctx.set({ ...headers });
  return isTaken
    ? E.right(undefined)
    : E.left(problem('too-many-requests', 'The user made more calls than he may. Nothing was changed.'));
};
