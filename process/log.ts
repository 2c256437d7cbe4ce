import { writeSync } from 'node:fs';
import { pipe } from 'fp-ts/function';
import * as O from 'fp-ts/Option';
import * as t from 'io-ts';
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** The members of a log line that this code reads. A line has the first two; a line about a failure has `err` or `reason`. */
const LogLine = t.intersection([
  t.type({ level: t.string, msg: t.string }),
  t.partial({ err: t.type({ message: t.string }), reason: t.string }),
]);
export type LogLine = t.TypeOf<typeof LogLine>;

/** Parses a line that `createLog` wrote; none if the line is another text. */
export const readLogLine = (line: string): O.Option<LogLine> =>
  pipe(
    O.tryCatch((): unknown => JSON.parse(line)),
    O.filter(LogLine.is),
  );

export const isWarning = ({ level }: LogLine): boolean => ['warn', 'error', 'fatal'].includes(level);

/**
 * Writes one JSON line per record to standard output, with the process's name. Credentials are never logged. While standard
 * output takes nothing, up to 1 MiB of lines waits. Further lines are dropped, and later a log line says how many.
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

/**
 * Writes synchronously, since otherwise the last lines before an exit could be lost or out of order. The access to
 * `process.stdout` makes Node set a pipe to non-blocking, so a pipe that nobody reads does not stop the process.
 */
const toStandardOutput = (bytes: Uint8Array): number => writeSync(globalThis.process.stdout.fd, bytes);

/** The most bytes of lines that wait to be written, and the time (ms) between two tries to write them. */
const MOST_WAITING = 1 << 20;
const TRIES_EVERY_MS = 50;

/**
 * Writes whole lines with `write`, which returns how many bytes it took, or throws. The returned stream never throws, since
 * neither a full disk nor a closed pipe may end a process. Lines that are not taken wait, up to `mostWaiting` bytes; further
 * lines are dropped. Once all waiting lines are written, it calls `lost` with the number of dropped lines.
 */
export const linesTo = (
  write: (bytes: Uint8Array) => number,
  lost: (lines: number) => void,
  mostWaiting = MOST_WAITING,
): DestinationStream => {
  /** Lines to be written. Of the first one, a part may be written already. */
  const waiting: Uint8Array[] = [];
  let [size, lines] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  const writeWaiting = (): void => {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const taken = write(first);
      size -= taken;
      if (taken < first.length) waiting[0] = first.subarray(taken);
      else waiting.shift();
    }
  };
  const flush = (): void => {
    try {
      writeWaiting();
    } catch {
      timer ??= setTimeout(tryAgain, TRIES_EVERY_MS).unref();
      return;
    }
    if (lines === 0) return;
    const before = lines;
    lines = 0;
    lost(before); // `lost` may log a line, which flushes again: the count must be 0 by then
  };
  const tryAgain = (): void => {
    timer = undefined;
    flush();
  };
  return {
    write: (line) => {
      const bytes = Buffer.from(line);
      if (size + bytes.length > mostWaiting) lines += 1;
      else {
        waiting.push(bytes);
        size += bytes.length;
      }
      flush();
    },
  };
};

/** `log` without redaction, for records of ids and numbers only. Redaction costs as much time as the rest of an API call. */
export const withoutRedaction = (log: Log): Log => log.child({}, { redact: [] });

const secrets = ['authorization', 'Authorization', 'cookie', 'token', 'password', 'apiKey'];

const secretPaths = ['', '*.', '*.headers.'].flatMap((prefix) => secrets.map((name) => `${prefix}${name}`));
