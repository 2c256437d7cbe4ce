/** The result of `promise`, or `late` (by default a rejection) after `ms`. The promise itself goes on. */
export const within = async <A>(ms: number, promise: Promise<A>, late: () => A = tooLate(ms)): Promise<A> => {
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

const tooLate = (ms: number) => (): never => {
  throw new Error(`no answer within ${ms} ms`);
};
