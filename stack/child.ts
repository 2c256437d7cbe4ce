import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from './environment';
import { fault } from './report';
import type { Ground, Watchdog } from './ground';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of ours in its own process group, so that a terminal's Ctrl-C reaches us and not it. */
export type Child = Awaited<ReturnType<typeof startChild>>;

/** What to run; standard output and error go to the end of `log`, which outlives us. */
export interface ChildPlan {
  readonly name: string;
  readonly command: string;
  readonly args: ReadonlyArray<string>;
  readonly folder: string;
  readonly env: Environment;
  readonly log: string;
}

/** Starts `plan`, watched. Errors: a fault when the command cannot be run. */
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
  if (pid === undefined) throw fault(`${name}: cannot run ${plan.command}: ${(await problem).message}`);
  watchdog.watch(pid);
  // An ended group gets no signal: its id may have been reused.
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
    /** Never rejects. */
    exited,
    isRunning,
    /** Whether it was sent a signal that ends it. */
    isAsked: () => isAsked,
    /** What it wrote to its log since it was started, the last 4 KiB at most. */
    tail: () => readFileSync(log).subarray(begin).subarray(-TAIL_BYTES).toString(),
    signal,
    /** SIGTERM, and SIGKILL to what is left after `graceMs`. */
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

/** Runs `plan` to its end. Errors: its exit and last lines, when it is not exit code 0; the signal's reason when aborted. */
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

/** Opens a log for appending; one that has grown large is put aside first, in the place of the one before. */
const openLog = (path: string): number => {
  try {
    mkdirSync(dirname(path), { recursive: true });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.1`);
    return openSync(path, 'a');
  } catch (thrown) {
    throw fault(`cannot write ${path}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
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

/** Calls `onLine` with each whole line written to `path` from now on, until `stop`, which reads once more what is there. */
export const followLog = (path: string, onLine: (line: string) => void): { readonly stop: () => void } => {
  const file = openSync(path, 'a+'); // which makes it where it is not there yet
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
