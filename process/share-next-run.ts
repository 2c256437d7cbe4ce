/**
 * Runs `work` for any number of callers, one run at a time. Callers that come while it runs share the next run, because the
 * run in flight may have begun too early to cover what they ask for.
 */
export const shareNextRun = <A>(work: () => Promise<A>): (() => Promise<A>) => {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<A> | undefined;
  return () =>
    (next ??= current.then(() => {
      next = undefined;
      const begun = work();
      current = begun.catch(() => undefined);
      return begun;
    }));
};
