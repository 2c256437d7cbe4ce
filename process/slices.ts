/** Once the pieces of one turn of the event loop have taken this time (ms), further pieces wait for the next turn. */
const SLICE_MS = 10;

/** Spreads many short pieces of work over turns of the event loop, so that together they do not block it. */
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
