import type { Log } from './log';
import { withTimeout } from './timeout';

export interface Stopping {
  readonly log: Log;
  /** The steps by name, in order. */
  readonly steps: Readonly<Record<string, () => Promise<unknown>>>;
  readonly deadlineMs: number;
}

/**
 * Runs the steps one after the other when the process is told to stop, or after a defect. Then it exits.
 *
 * After SIGTERM or SIGINT the exit code is 0. It is 1 after an uncaught exception or rejection, which is logged, after a step
 * that failed, and after the deadline. Further signals are ignored, since a terminal and npm send the same one twice.
 */
export const stopInOrder = (stopping: Stopping): void => {
  const { log } = stopping;
  let exitCode: 0 | 1 | undefined;
  const stop = (code: 0 | 1): void => {
    const first = exitCode === undefined;
    exitCode = code === 1 ? 1 : (exitCode ?? 0);
    if (first) void runSteps(stopping).then((clean) => process.exit(clean ? exitCode : 1));
  };
  const stopBySignal = (signal: NodeJS.Signals): void => {
    if (exitCode === undefined) log.info({ signal }, 'stopping');
    stop(0);
  };
  const stopByDefect = (message: string) => (error: unknown) => {
    try {
      log.fatal({ err: error }, message);
    } catch (fault) {
      log.fatal({ reason: String(fault) }, message); // logs at least the message if the error cannot be serialised
    }
    stop(1);
  };
  process.on('SIGTERM', stopBySignal).on('SIGINT', stopBySignal);
  process.on('uncaughtException', stopByDefect('an exception was not caught'));
  process.on('unhandledRejection', stopByDefect('a rejection was not handled'));
};

/** Runs the steps; after a failed step, the next one still runs. Returns whether every step succeeded in time. */
const runSteps = async ({ log, steps, deadlineMs }: Stopping): Promise<boolean> => {
  const end = performance.now() + deadlineMs;
  let clean = true;
  for (const [name, run] of Object.entries(steps)) {
    try {
      await withTimeout(Math.max(0, Math.ceil(end - performance.now())), Promise.resolve().then(run));
    } catch (error) {
      clean = false;
      log.error({ step: name, err: error }, 'could not stop in order');
    }
  }
  if (clean) log.info('stopped');
  return clean;
};
