import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectRoot } from '../../dev/stack/project-root';
import type { LogRecord } from './recorded-log';

/** A program of Node that was started, to be looked at while it runs and as it ends. */
export interface RunningProcess {
  readonly pid: number;
  /** Its standard output, and its standard error, so far. */
  readonly out: () => string;
  readonly err: () => string;
  /** Both, as they came. */
  readonly said: () => string;
  /** What it logged so far, record by record. */
  readonly logged: () => ReadonlyArray<LogRecord>;
  /** Its exit code, or the signal that ended it, once all that it wrote is read. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
  readonly isRunning: () => boolean;
  readonly signal: (name: NodeJS.Signals) => void;
  /** kill -9; waits until it is gone. */
  readonly stop: () => Promise<void>;
}

/** Node 22.12 warns on standard error that CommonJS loads an ES module. Later releases do not. */
const quiet = process.version.startsWith('v22.12.') ? ['--disable-warning=ExperimentalWarning'] : [];

/** Runs Node, in the project's folder unless told, with these arguments, this input and nothing else set than `env`. */
export const runNode = (
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
  { folder = projectRoot, input = '' } = {},
): RunningProcess => {
  const child = spawn(process.execPath, [...quiet, ...args], { cwd: folder, env });
  child.stdin.on('error', () => undefined).end(input);
  const exited = once(child, 'close').then(() => child.exitCode ?? child.signalCode);
  let [out, err, said] = ['', '', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => ([out, said] = [out + text, said + text]));
  child.stderr.setEncoding('utf8').on('data', (text: string) => ([err, said] = [err + text, said + text]));
  return {
    pid: child.pid ?? 0,
    out: () => out,
    err: () => err,
    said: () => said,
    logged: () => recordsOf(said),
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    signal: (name) => void child.kill(name),
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};

export const recordsOf = (said: string): ReadonlyArray<LogRecord> =>
  said
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogRecord] : []));
