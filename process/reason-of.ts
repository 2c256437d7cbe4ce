/** Why something failed, in one line: what an error says, then its causes; of several errors in one, what each says. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  if (error.message === FETCH_FAILED && error.cause !== undefined) return reasonOf(error.cause);
  const own = error.message === '' && 'code' in error ? String(error.code) : error.message || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
};

/** What `fetch` says whatever failed. */
const FETCH_FAILED = 'fetch failed';
