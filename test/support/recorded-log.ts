import { createLog, type Log } from '../../process/log';

/** What a test looks at in a record of the log. */
export interface LogRecord {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A log that keeps its records. */
export const recordedLog = (): { readonly log: Log; readonly records: LogRecord[] } => {
  const records: LogRecord[] = [];
  const write = (line: string): void => {
    records.push(JSON.parse(line) as LogRecord);
  };
  return { log: createLog({ level: 'trace', process: 'test' }, { write }), records };
};
