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

/** A process that ends what was started here when this process dies, kill -9 included, within about four seconds. */
export interface Watchdog {
  readonly pid: number | undefined;
  /** The process group of this id ends with us. */
  readonly watch: (group: number) => void;
  readonly release: (group: number) => void;
  /** This file or folder is removed after the groups have ended. */
  readonly remove: (path: string) => void;
  readonly forget: (path: string) => void;
  /** Ends the watchdog, and whatever it still watches. */
  readonly close: () => Promise<void>;
}

/** Starts a watchdog; it does not keep the event loop alive. */
export const startWatchdog = (): Watchdog => {
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
    watch: send('watch'),
    release: send('release'),
    remove: send('remove'),
    forget: send('forget'),
    close: async () => {
      const ended = dog.exitCode === null && dog.signalCode === null ? once(dog, 'exit') : Promise.resolve();
      dog.ref();
      dog.stdin.end();
      await ended;
    },
  };
};
