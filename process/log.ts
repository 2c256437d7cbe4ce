import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** JSON lines on standard output, one a record, with the process's name. What proves who somebody is never gets there. */
export const createLog = (
  { level, process }: { readonly level: string; readonly process: string },
  destination?: DestinationStream,
): Log => {
  const options = {
    level,
    base: { process },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretPaths, censor: '[hidden]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
};

const secrets = ['authorization', 'Authorization', 'cookie', 'token', 'password', 'apiKey'];

const secretPaths = ['', '*.', '*.headers.'].flatMap((prefix) => secrets.map((name) => `${prefix}${name}`));
