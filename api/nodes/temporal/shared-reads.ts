/** The read of a key in flight, and the next one, for all callers that came meanwhile. */
interface Reads<A> {
  readonly current: Promise<A>;
  next?: Promise<A>;
}

/**
 * `read`, shared: a read that arrives while one of its key is in flight joins the next one, never the one already sent, which
 * may have been answered before a write that was acknowledged since. `read` must not reject.
 */
export const sharedReads = <A>(read: (key: string) => Promise<A>): ((key: string) => Promise<A>) => {
  const inFlight = new Map<string, Reads<A>>();
  const start = (key: string): Promise<A> => {
    const reads: Reads<A> = { current: read(key) };
    inFlight.set(key, reads);
    return reads.current.finally(() => {
      if (reads.next === undefined) inFlight.delete(key);
    });
  };
  return (key) => {
    const reads = inFlight.get(key);
    if (reads === undefined) return start(key);
    reads.next ??= reads.current.then(() => start(key));
    return reads.next;
  };
};
