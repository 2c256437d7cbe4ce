import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from './project-root';
import type { Report } from './report';

/** The context of everything that starts processes: report, watchdog, abort signal. */
export interface Ground {
  readonly report: Report;
  readonly watchdog: Watchdog;
  /** Aborted when the work is to end; its reason is thrown by whatever waits. */
  readonly signal: AbortSignal;
}

/**
 * Starts a process that ends what was started here when this process dies, kill -9 included, within about four seconds. It
 * does not keep the event loop alive.
 */
export const startWatchdog = () => {
  const dog = spawn(process.execPath, [join(projectRoot, 'stack/watchdog-process.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  dog.unref();
  dog.on('error', () => undefined);
  dog.stdin.on('error', () => undefined);
  const send =
    (word: string) =>
    (what: number | string): void =>
      void dog.stdin.write(`${word} ${what}\n`);
  return {
    pid: dog.pid,
    /** The process group of this id ends with us. */
    watch: send('watch'),
    release: send('release'),
    /** This file or folder is removed after the groups have ended. */
    remove: send('remove'),
    forget: send('forget'),
    /** Ends the watchdog, and whatever it still watches. */
    close: async (): Promise<void> => {
      const ended = dog.exitCode === null && dog.signalCode === null ? once(dog, 'exit') : Promise.resolve();
      dog.ref();
      dog.stdin.end();
      await ended;
    },
  };
};

export type Watchdog = ReturnType<typeof startWatchdog>;
