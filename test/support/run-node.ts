import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { LogRecord } from './recorded-log';

/** A process of Node that was started. */
export interface RunningProcess {
  /** What it wrote so far, as it is. */
  readonly said: () => string;
  /** What it logged so far, record by record. */
  readonly logged: () => ReadonlyArray<LogRecord>;
  readonly exited: Promise<number | null>;
  /** kill -9; waits until it is gone. */
  readonly stop: () => Promise<void>;
}

/** Runs Node with these arguments and nothing else set than `env`. */
export const runNode = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): RunningProcess => {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  return {
    said: () => said,
    logged: () => recordsOf(said),
    exited,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};

const recordsOf = (said: string): ReadonlyArray<LogRecord> =>
  said
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogRecord] : []));
