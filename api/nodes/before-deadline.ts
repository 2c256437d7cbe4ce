import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { within } from '../../process/within';
import type { Outage } from '../ports';

/** The result of `task`, or TimedOut after `ms`; the task itself goes on. */
export const beforeDeadline =
  <F, A>(ms: number, task: TE.TaskEither<F | Outage, A>): TE.TaskEither<F | Outage, A> =>
  () =>
    within<E.Either<F | Outage, A>>(ms, task(), () => E.left({ _tag: 'TimedOut' }));
