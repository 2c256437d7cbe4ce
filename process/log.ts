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
 * no lines, 1 MiB of them waits. The others are dropped, and their number is logged as soon as it takes some again.
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
 * At once: otherwise the last lines before an exit could be lost or out of order. A pipe does not block, since Node makes it so
 * with `process.stdout`: a reader that stands still must not stop the process.
 */
const toStandardOutput = (bytes: Uint8Array): number => writeSync(globalThis.process.stdout.fd, bytes);

/** Bytes of lines that wait for a reader, and the time (ms) between two tries. */
const MOST_WAITING = 1 << 20;
const TRIES_EVERY_MS = 50;

/**
 * Whole lines by `write`, which returns how many bytes it took. It never throws, since neither a full disk nor a closed pipe may end
 * a process. Lines that are not taken wait, up to `mostWaiting` bytes; others are lost. Calls `lost` with their number once all that
 * waited is taken.
 */
export const linesTo = (
  write: (bytes: Uint8Array) => number,
  lost: (lines: number) => void,
  mostWaiting = MOST_WAITING,
): DestinationStream => {
  /** The first line may be what is left of one. */
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
    lost(before); // which writes a line
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

/** `log` without redaction, for records of ids and numbers only: redaction costs as much as the rest of a call. */
export const unsearched = (log: Log): Log => log.child({}, { redact: [] });

const secrets = ['authorization', 'Authorization', 'cookie', 'token', 'password', 'apiKey'];

const secretPaths = ['', '*.', '*.headers.'].flatMap((prefix) => secrets.map((name) => `${prefix}${name}`));
