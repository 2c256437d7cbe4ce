/** Time (ms) after the beginning of a request during which callers share its answer. */
const SHARED_MS = 1_000;

/** Calls `ask` at most once per second for any number of callers, who share the request in flight, and then its answer. */
export const singleFlight = <A>(ask: () => Promise<A>): (() => Promise<A>) => {
  let [askedAt, isInFlight] = [-Infinity, false];
  let answer: Promise<A> | undefined;
  const asked = async (): Promise<A> => ask(); // what `ask` throws synchronously becomes a rejection
  return () => {
    if (answer !== undefined && (isInFlight || performance.now() - askedAt < SHARED_MS)) return answer;
    [askedAt, isInFlight] = [performance.now(), true];
    return (answer = asked().finally(() => (isInFlight = false)));
  };
};
