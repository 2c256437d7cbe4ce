import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { beforeDeadline } from '../nodes/before-deadline';
import type { Outage } from '../ports';

/** Concurrent reads of one batch. */
const AT_ONCE = 64;

/** The results of `read` for `ids`, by id. The first failure ends it, and so does the deadline `ms`. */
export const readEach = <A>(
  ids: ReadonlyArray<string>,
  read: (id: string) => TE.TaskEither<Outage, A>,
  ms: number,
): TE.TaskEither<Outage, ReadonlyMap<string, A>> => {
  const known = new Map<string, A>();
  const waiting = ids.values();
  let failure: E.Either<Outage, never> | undefined;
  const readOn = async (until: number): Promise<void> => {
    for (const id of waiting) {
      if (Date.now() >= until) failure ??= E.left({ _tag: 'TimedOut' });
      if (failure !== undefined) return;
      const found = await read(id)();
      if (E.isLeft(found)) failure = found;
      else known.set(id, found.right);
    }
  };
  return beforeDeadline(ms, async () => {
    const until = Date.now() + ms;
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, () => readOn(until)));
    return failure ?? E.right(known);
  });
};
