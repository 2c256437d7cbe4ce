import { pipe } from 'fp-ts/function';
import * as O from 'fp-ts/Option';
import * as t from 'io-ts';
import { destination as toFile, pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** What every line of the log has, and what says the cause; each record adds members of its own. */
const LogLine = t.intersection([
  t.type({ level: t.string, msg: t.string }),
  t.partial({ err: t.type({ message: t.string }), reason: t.string }),
]);
export type LogLine = t.TypeOf<typeof LogLine>;

/** The line that `createLog` wrote; none of any other text. */
export const readLogLine = (line: string): O.Option<LogLine> =>
  pipe(
    O.tryCatch((): unknown => JSON.parse(line)),
    O.filter(LogLine.is),
  );

export const isWarning = ({ level }: LogLine): boolean => ['warn', 'error', 'fatal'].includes(level);

/**
 * JSON lines on standard output, one per record, with the process's name. Credentials are never logged.
 *
 * Writes are synchronous: otherwise the last records before an exit could be lost or out of order.
 */
export const createLog = (
  { level, process }: { readonly level: string; readonly process: string },
  destination: DestinationStream = toFile({ fd: 1, sync: true }),
): Log =>
  pino(
    {
      level,
      base: { process },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level): Pick<LogLine, 'level'> => ({ level }) },
      redact: { paths: secretPaths, censor: '[hidden]' },
    },
    destination,
  );

/** `log` without redaction, for records of ids and numbers only: redaction costs as much as the rest of a call. */
export const unsearched = (log: Log): Log => log.child({}, { redact: [] });

const secrets = ['authorization', 'Authorization', 'cookie', 'token', 'password', 'apiKey'];

const secretPaths = ['', '*.', '*.headers.'].flatMap((prefix) => secrets.map((name) => `${prefix}${name}`));
