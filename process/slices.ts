/** Time (ms) of such work in one turn of the event loop. */
const SLICE_MS = 10;

/** Runs short work that is at hand all at once in slices, so that it does not hold up the event loop: what is left goes on in the next turn. */
export const createSlices = () => {
  let spentMs = 0;
  let nextTurn: Promise<void> | undefined;
  return async <A>(work: () => A): Promise<A> => {
    while (spentMs >= SLICE_MS) await nextTurn;
    nextTurn ??= new Promise((begin) => {
      setImmediate(() => {
        spentMs = 0;
        nextTurn = undefined;
        begin();
      });
    });
    const began = performance.now();
    try {
      return work();
    } finally {
      spentMs += performance.now() - began;
    }
  };
};
