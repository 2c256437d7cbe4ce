import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from './project-root';
import type { Report } from './report';

/** What everything that starts processes needs: reports, the watchdog, and the signal to end. */
export interface Ground {
  readonly report: Report;
  readonly watchdog: Watchdog;
  /** Aborted when the work is to end. Everything that waits then throws the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Starts the watchdog, a process that watches process groups. It ends them within about four seconds after this process has
 * died, even of kill -9. It does not keep the event loop of this process alive.
 */
export const startWatchdog = () => {
  const dog = spawn(process.execPath, [join(projectRoot, 'dev/stack/watchdog-process.mjs')], {
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
    /** Ends the process group of this id after this process has died. */
    watch: send('watch'),
    release: send('release'),
    /** Removes this file or folder after this process has died and the process groups have ended. */
    remove: send('remove'),
    forget: send('forget'),
    /** Ends the watchdog, which first ends the process groups that it still watches. */
    close: async (): Promise<void> => {
      const ended = dog.exitCode === null && dog.signalCode === null ? once(dog, 'exit') : Promise.resolve();
      dog.ref();
      dog.stdin.end();
      await ended;
    },
  };
};

export type Watchdog = ReturnType<typeof startWatchdog>;
