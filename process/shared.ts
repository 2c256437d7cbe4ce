/** Time (ms) for which an answer is shared. */
const SHARED_MS = 1_000;

/** `ask`, at most once per second however many callers there are: they share the request in flight, and its answer from then on. */
export const shared = <A>(ask: () => Promise<A>): (() => Promise<A>) => {
  let [askedAt, isInFlight] = [-Infinity, false];
  let answer: Promise<A> | undefined;
  const asked = async (): Promise<A> => ask(); // what it throws at once is an answer too
  return () => {
    if (answer !== undefined && (isInFlight || performance.now() - askedAt < SHARED_MS)) return answer;
    [askedAt, isInFlight] = [performance.now(), true];
    return (answer = asked().finally(() => (isInFlight = false)));
  };
};
