import { writeSync } from 'node:fs';
import { pipe } from 'fp-ts/function';
import * as O from 'fp-ts/Option';
import * as t from 'io-ts';
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

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
 * JSON lines on standard output, one per record, with the process's name. Credentials are never logged. Where standard output takes
 * no lines they are dropped, and their number is logged as soon as it takes some again.
 */
export const createLog = (
  { level, process }: { readonly level: string; readonly process: string },
  destination?: DestinationStream,
): Log => {
  const log: Log = pino(
    {
      level,
      base: { process },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level): Pick<LogLine, 'level'> => ({ level }) },
      redact: { paths: secretPaths, censor: '[hidden]' },
    },
    destination ??
      linesTo(toStandardOutput, (lines) =>
        log.warn({ lines }, 'log lines were lost: standard output did not take them'),
      ),
  );
  return log;
};

/** At once: otherwise the last lines before an exit could be lost or out of order. */
const toStandardOutput = (bytes: Uint8Array): number => writeSync(1, bytes);

/**
 * Whole lines by `write`, which returns how many bytes it took. It never throws, since neither a full disk nor a closed pipe may end
 * a process. Calls `lost` with the number of lost lines once lines are taken again.
 */
export const linesTo = (write: (bytes: Uint8Array) => number, lost: (lines: number) => void): DestinationStream => {
  /** What is left of a line that was taken in part: no other line may begin within it. */
  let rest: Uint8Array = NOTHING;
  let lines = 0;
  let isTold = false;
  const isWritten = (): boolean => {
    try {
      while (rest.length > 0) rest = rest.subarray(write(rest));
      return true;
    } catch {
      return false;
    }
  };
  return {
    write: (line) => {
      const bytes = Buffer.from(line);
      const isFree = isWritten();
      if (isFree) rest = bytes;
      if (!isFree || (!isWritten() && rest === bytes)) {
        lines += 1;
        if (isFree) rest = NOTHING;
      } else if (rest.length === 0 && lines > 0 && !isTold) {
        const before = lines;
        isTold = true; // which writes a line
        lost(before);
        isTold = false;
        lines = lines === before ? 0 : before;
      }
    },
  };
};

const NOTHING = new Uint8Array();

/** `log` without redaction, for records of ids and numbers only: redaction costs as much as the rest of a call. */
export const unsearched = (log: Log): Log => log.child({}, { redact: [] });

const secrets = ['authorization', 'Authorization', 'cookie', 'token', 'password', 'apiKey'];

const secretPaths = ['', '*.', '*.headers.'].flatMap((prefix) => secrets.map((name) => `${prefix}${name}`));
