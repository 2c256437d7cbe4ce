/** The reason of a failure in one line: the message of the error, then of its causes; of an aggregate, all messages. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause); // it says so of any
  const own = error.message === '' && 'code' in error ? String(error.code) : error.message || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
};
