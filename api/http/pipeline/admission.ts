import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Authorizer, Hierarchy, Permission } from '../../ports';
import { problemOfRefusal } from '../problems/of-refusal';
import { invalidRequest, unauthorized } from '../problems/of-request';
import { problem, type Problem } from '../problems/problem';
import type { RateLimiter } from '../rate/rate-limiter';

interface Answering {
  readonly set: (headers: Record<string, string>) => void;
}

/** Passes where the user has calls left; the headers of every answer state how many. */
export const withinRate = (limiter: RateLimiter, ctx: Answering, userId: string): E.Either<Problem, void> => {
  const { isTaken, headers } = limiter.take(userId);
  ctx.set({ ...headers });
  return isTaken
    ? E.right(undefined)
    : E.left(problem('too-many-requests', 'The user exceeded the rate limit. Nothing was changed.'));
};

/** Passes where the user has every permission of `wanted`; 403 names every one that they lack. */
export const permitted = (
  authorizer: Authorizer,
  userId: string,
  wanted: ReadonlyArray<Permission>,
): TE.TaskEither<Problem, void> =>
  pipe(
    authorizer.violations(userId, wanted),
    TE.mapLeft((outage) => problemOfRefusal(outage, false)),
    TE.chain((violations) =>
      violations.length === 0 ? TE.right(undefined) : TE.left(unauthorized(userId, violations)),
    ),
  );

/** Passes where the node of the path is a measurement point; 404 for an unknown node, 400 for another kind. */
export const measurementPoint = (hierarchy: Hierarchy, nodeId: string): E.Either<Problem, void> => {
  switch (hierarchy.kindOf(nodeId)) {
    case 'measurement_point':
      return E.right(undefined);
    case 'other':
      return E.left(invalidRequest([{ name: 'nodeId', reason: 'must be a measurement point' }]));
    case 'unknown':
      return E.left(problem('resource-not-found', `The hierarchy does not know the node ${nodeId}.`));
  }
};
