/** Reports, once, that calls in flight get no answer for a while; again only after an answer. */
export interface Waiting {
  /** Sets the reason that is reported from now on. */
  readonly because: (why: string) => void;
  /** Watches a call in flight. */
  readonly during: <A>(call: Promise<A>) => Promise<A>;
}

const QUIET_MS = 3_000;

export const createWaiting = (why: string, report: (why: string) => void): Waiting => {
  let known = why;
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    because: (reason) => {
      known = reason;
    },
    during: async (call) => {
      timer ??= setTimeout(() => {
        report(known);
      }, QUIET_MS);
      inFlight += 1;
      try {
        return await call;
      } finally {
        inFlight -= 1;
        timer.refresh();
        if (inFlight === 0) {
          clearTimeout(timer);
          timer = undefined;
        }
      }
    },
  };
};
