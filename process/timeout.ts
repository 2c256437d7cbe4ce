/** The result of `promise`, or after `ms` that of `late`, which by default throws. The promise itself goes on. */
export const withTimeout = async <A>(ms: number, promise: Promise<A>, late: () => A = tooLate(ms)): Promise<A> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([promise, deadline.then(late)]);
  } finally {
    clearTimeout(timer);
  }
};

/** The result of `promise`, or that of `late` once `signal` aborts. The promise itself goes on. */
export const unlessAborted = async <A>(signal: AbortSignal, promise: Promise<A>, late: () => A): Promise<A> => {
  const ended = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { signal: ended.signal });
    if (signal.aborted) resolve();
  });
  return Promise.race([promise, aborted.then(late)]).finally(() => ended.abort());
};

const tooLate = (ms: number) => (): never => {
  throw new Error(`no answer within ${ms} ms`);
};
