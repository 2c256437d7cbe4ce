import { createLog, type Log, type LogLine } from '../../process/log';

/** A record of the log with whatever members it adds. */
export type LogRecord = LogLine & Readonly<Record<string, unknown>>;

export const recordedLog = (): { readonly log: Log; readonly records: LogRecord[] } => {
  const records: LogRecord[] = [];
  const write = (line: string): void => void records.push(JSON.parse(line) as LogRecord);
  return { log: createLog({ level: 'trace', process: 'test' }, { write }), records };
};
