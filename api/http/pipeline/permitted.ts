import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Authorizer, Permission } from '../../ports';
import { problemOfRefusal } from '../problems/of-refusal';
import { unauthorized } from '../problems/of-request';
import type { Problem } from '../problems/problem';

/** Nothing, where the user holds all of `wanted`; 403 names every one that he lacks. */
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
