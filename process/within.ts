/** What `promise` settles to, or a rejection once `ms` have passed; the promise itself goes on. */
export const within = async <A>(ms: number, promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
};
