import { destination as toFile, pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

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
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: '[hidden]' },
    },
    destination,
  );

/** `log` without redaction, for records of ids and numbers only: redaction costs as much as the rest of a call. */
export const unsearched = (log: Log): Log => log.child({}, { redact: [] });

const secrets = ['authorization', 'Authorization', 'cookie', 'token', 'password', 'apiKey'];

const secretPaths = ['', '*.', '*.headers.'].flatMap((prefix) => secrets.map((name) => `${prefix}${name}`));
