/** The reason of a failure in one line: the messages of the error and of its causes, or of all errors in an aggregate. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  // The message 'fetch failed' says nothing; only its cause does.
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  const own = error.message === '' && 'code' in error ? String(error.code) : error.message || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
};
