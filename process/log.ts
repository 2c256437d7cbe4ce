import { destination as toFile, pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/**
 * JSON lines on standard output, one a record, with the process's name. What proves who somebody is never gets there.
 *
 * Each record is written before the call returns: written later, the last ones before an exit come out of order or not at all.
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

/** `log` for records of ids and numbers that we name ourselves: to look for secrets in one takes as long as the rest of a call. */
export const unsearched = (log: Log): Log => log.child({}, { redact: [] });

const secrets = ['authorization', 'Authorization', 'cookie', 'token', 'password', 'apiKey'];

const secretPaths = ['', '*.', '*.headers.'].flatMap((prefix) => secrets.map((name) => `${prefix}${name}`));
