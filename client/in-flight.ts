/** Runs a call with a signal that aborts it. */
export type InFlight = <A>(own: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<A>) => Promise<A>;

/**
 * Calls that `all` aborts, or each one its own signal.
 *
 * Decision: one listener and no `AbortSignal.any` at `all`, which may live as long as the process: Node warns of many
 *           listeners, and Node 20 keeps memory for every derived signal until its source is collected.
 */
export const createInFlight = (all: AbortSignal | undefined): InFlight => {
  const calls = new Set<AbortController>();
  all?.addEventListener('abort', () => {
    for (const call of calls) call.abort();
  });
  return async (own, work) => {
    const call = new AbortController();
    if (all?.aborted === true) call.abort();
    calls.add(call);
    try {
      return await work(own === undefined ? call.signal : AbortSignal.any([call.signal, own]));
    } finally {
      calls.delete(call);
    }
  };
};
