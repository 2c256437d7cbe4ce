import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from './environment';
import { reportedFault } from './report';
import type { Ground, Watchdog } from './ground';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process in a process group of its own, so that a terminal's Ctrl-C reaches this process and not the child. */
export type Child = Awaited<ReturnType<typeof startChild>>;

/** What to run. Standard output and error are appended to the file `log`, which stays after the processes have ended. */
export interface ChildPlan {
  readonly name: string;
  readonly command: string;
  readonly args: ReadonlyArray<string>;
  readonly folder: string;
  readonly env: Environment;
  readonly log: string;
}

/** Starts the process of `plan`, and has the watchdog watch it. Errors: a `Fault` if the command cannot be run. */
export const startChild = async (plan: ChildPlan, watchdog: Watchdog) => {
  const { name, log } = plan;
  const file = openLog(log);
  const begin = fstatSync(file).size;
  const spawned = spawn(plan.command, plan.args, {
    cwd: plan.folder,
    env: plan.env,
    detached: true,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  const { pid } = spawned;
  const problem = new Promise<Error>((resolve) => spawned.once('error', resolve));
  if (pid === undefined) throw reportedFault(`${name}: cannot run ${plan.command}: ${(await problem).message}`);
  watchdog.watch(pid);
  // A process group that has ended gets no signal, because its id may have been reused.
  let isGone = false;
  const toGroup = (wanted: NodeJS.Signals | 0): boolean => {
    isGone ||= !signalGroup(pid, wanted);
    return !isGone;
  };
  const exited = new Promise<Exit>((resolve) => {
    spawned.once('exit', (code, signal) => {
      if (!toGroup(0)) watchdog.release(pid);
      resolve({ code, signal });
    });
  });
  const isRunning = (): boolean => spawned.exitCode === null && spawned.signalCode === null;
  let isAsked = false;
  const signal = (wanted: NodeJS.Signals): void => {
    isAsked ||= ENDING.has(wanted);
    toGroup(wanted);
  };
  return {
    name,
    pid,
    log,
    /** How the child ended. Never rejects. */
    exited,
    isRunning,
    /** Whether the child was sent a signal that ends it. */
    isAsked: () => isAsked,
    /** What the child wrote to its log since it was started, the last 4 KiB at most. */
    tail: () => readFileSync(log).subarray(begin).subarray(-TAIL_BYTES).toString(),
    signal,
    /** Sends SIGTERM to the group, and SIGKILL to what is left of it after `graceMs`. */
    stop: async (graceMs: number): Promise<Exit> => {
      signal('SIGTERM');
      const end = Date.now() + graceMs;
      while (Date.now() < end && (isRunning() || toGroup(0))) await delay(20);
      signal('SIGKILL');
      const exit = await exited;
      watchdog.release(pid);
      return exit;
    },
  };
};

/** Runs `plan` to its end. Errors: its exit and last lines if the exit code is not 0; the signal's reason once it aborts. */
export const runChild = async (plan: ChildPlan, { signal, watchdog }: Ground): Promise<void> => {
  const child = await startChild(plan, watchdog);
  const stop = (): void => void child.stop(2_000);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const exit = await child.exited;
  signal.removeEventListener('abort', stop);
  await child.stop(1_000);
  signal.throwIfAborted();
  if (exit.code !== 0) throw new Error(`${exitText(exit)}: ${child.tail().trim().split('\n').slice(-3).join(' / ')}`);
};

export const exitText = ({ code, signal }: Exit): string =>
  signal === null ? `exit code ${String(code)}` : `signal ${signal}`;

const ENDING: ReadonlySet<NodeJS.Signals> = new Set(['SIGTERM', 'SIGINT', 'SIGKILL']);

const LOG_BYTES = 16 * 1024 * 1024;

/** Opens a log for appending. A log above 16 MiB is first renamed to `<path>.1`, which replaces an older file of that name. */
const openLog = (path: string): number => {
  try {
    mkdirSync(dirname(path), { recursive: true });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.1`);
    return openSync(path, 'a');
  } catch (thrown) {
    throw reportedFault(`cannot write ${path}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
};

const signalGroup = (group: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
};

const TAIL_BYTES = 4096;
const READ_EVERY_MS = 200;

/** Calls `onLine` with each whole line that is written to `path` from now on, until `stop`, which first reads what is left. */
export const followLog = (path: string, onLine: (line: string) => void): { readonly stop: () => void } => {
  const file = openSync(path, 'a+'); // creates the file if it is missing
  const bytes = Buffer.alloc(256 * 1024);
  const decoder = new StringDecoder();
  let position = fstatSync(file).size;
  let rest = '';
  const read = (): void => {
    for (;;) {
      const length = readSync(file, bytes, 0, bytes.length, position);
      if (length === 0) return;
      position += length;
      const lines = (rest + decoder.write(bytes.subarray(0, length))).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    }
  };
  const timer = setInterval(read, READ_EVERY_MS);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      read();
      closeSync(file);
    },
  };
};
