/** The least pino level that is shown. */
const WARN = 40;

/**
 * What a line of a part's log tells the user at the terminal; undefined when it is no warning.
 *
 * Shape: a line of JSON as pino writes it counts by its level; any other text is shown, but for the frames of a stack.
 */
export const warningIn = (line: string): string | undefined => {
  const record = recordIn(line);
  if (record === undefined) return /^\s|^$|^node:|^Node\.js /.test(line) ? undefined : line;
  const { level, msg, err } = record;
  if (typeof level !== 'number' || level < WARN) return undefined;
  const cause = typeof err === 'object' && err !== null && 'message' in err ? `: ${String(err.message)}` : '';
  return `${level >= 60 ? 'fatal' : level >= 50 ? 'error' : 'warning'}: ${typeof msg === 'string' ? msg : ''}${cause}`;
};

const recordIn = (line: string): Readonly<Record<string, unknown>> | undefined => {
  if (!line.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
};
