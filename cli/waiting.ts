/** Tells, once, that nothing is answered for a while though calls are under way; again only after an answer. */
export interface Waiting {
  /** What is told from now on for the reason. */
  readonly because: (why: string) => void;
  /** A call that is under way. */
  readonly during: <A>(call: Promise<A>) => Promise<A>;
}

const QUIET_MS = 3_000;

export const createWaiting = (why: string, tell: (why: string) => void): Waiting => {
  let known = why;
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    because: (reason) => {
      known = reason;
    },
    during: async (call) => {
      timer ??= setTimeout(() => {
        tell(known);
      }, QUIET_MS);
      underWay += 1;
      try {
        return await call;
      } finally {
        underWay -= 1;
        timer.refresh();
        if (underWay === 0) {
          clearTimeout(timer);
          timer = undefined;
        }
      }
    },
  };
};
