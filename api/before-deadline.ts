import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import type { Outage } from './ports';

/** What `task` comes to, or TimedOut once `ms` have passed; the task itself goes on. */
export const beforeDeadline =
  <F, A>(ms: number, task: TE.TaskEither<F | Outage, A>): TE.TaskEither<F | Outage, A> =>
  () =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        resolve(E.left({ _tag: 'TimedOut' }));
      }, ms);
      void task()
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
        });
    });
