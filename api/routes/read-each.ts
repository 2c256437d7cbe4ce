import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';

/** Reads of one batch that are under way at the same time. */
const AT_ONCE = 64;

/** What `read` says of each of `ids`, by id; the first that fails ends it. */
export const readEach =
  <F, A>(
    ids: ReadonlyArray<string>,
    read: (id: string) => TE.TaskEither<F, A>,
  ): TE.TaskEither<F, ReadonlyMap<string, A>> =>
  async () => {
    const known = new Map<string, A>();
    const waiting = ids.values();
    let failure: E.Either<F, never> | undefined;
    const readOn = async (): Promise<void> => {
      for (const id of waiting) {
        if (failure !== undefined) return;
        const found = await read(id)();
        if (E.isLeft(found)) failure = found;
        else known.set(id, found.right);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, readOn));
    return failure ?? E.right(known);
  };
