#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createColors } from 'picocolors';
import { interruptsBy } from '../process/interrupts';
import { reasonOf } from '../process/reason-of';
import { cliSettings, cliTemporalSettings, settingsOrExit } from '../process/settings';
import { exitCodes, unusable } from './failure';
import { endedBy, interruptedCode, runProgram } from './program';
import type { Screen, CommandContext } from './command-context';

/** Relative paths start from the folder where the user called npm (`INIT_CWD`). npm itself changes to the package's folder. */
const underNpm = process.env['npm_lifecycle_event'] === 'pas';
const folder = underNpm ? (process.env['INIT_CWD'] ?? process.cwd()) : process.cwd();

const report = (line: string): void => void process.stderr.write(`${line}\n`);

const outputClosed = new AbortController();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return void outputClosed.abort(); // the command goes on without output and decides the exit code
  report(`the output cannot be written: ${reasonOf(error)}`);
  process.exit(exitCodes.someFailed);
});
process.stderr.on('error', () => undefined);
/** Errors that no command awaits, such as those of a connection, are reported and end the process too. */
process.on('uncaughtException', (thrown) => process.exit(endedBy(thrown, report)));

/** Time (ms) that a command has to end by itself after SIGINT or SIGTERM, before the process exits in any case. */
const ENDS_WITHIN_MS = 800;

const createContext = (): CommandContext => {
  loadSettings();
  const screen = screenOf(process.stdout);
  const settings = cliSettings(process.env);
  const { first: interrupted, again } = interruptsBy('SIGINT', 'SIGTERM');
  setMaxListeners(0, interrupted); // each call in flight adds a listener, and Node warns of more than ten
  const end = (): never => process.exit(interruptedCode(process.argv.slice(2)));
  again.addEventListener('abort', end);
  interrupted.addEventListener('abort', () => void setTimeout(end, ENDS_WITHIN_MS).unref());
  return {
    get settings() {
      return settingsOrExit('command', settings);
    },
    temporal: () => settingsOrExit('command', cliTemporalSettings(process.env)),
    print: (line) => {
      if (!outputClosed.signal.aborted) process.stdout.write(`${line}\n`);
    },
    report,
    screen,
    reportScreen: screenOf(process.stderr),
    colors: createColors(screen !== undefined && (process.env['NO_COLOR'] ?? '') === ''),
    interrupted,
    outputClosed: outputClosed.signal,
    folder,
  };
};

/**
 * Adds the settings in `.env` of the current folder to the environment, whose own settings win. If a setting of Redis or
 * Temporal names a file that exists only in the service's folder, as in a container, the process changes to that folder.
 */
const loadSettings = (): void => {
  const service = dirname(require.resolve('point-alarm-service/package.json'));
  const isOfService = (path = ''): boolean => path !== '' && !existsSync(path) && existsSync(resolve(service, path));
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const paths = Object.entries(process.env).filter(([name]) => /^(?:REDIS|TEMPORAL)_.*_(?:PATH|FILE)$/u.test(name));
    if (paths.some(([, path]) => isOfService(path))) process.chdir(service);
  } catch (thrown) {
    throw unusable(`.env cannot be read: ${reasonOf(thrown)}`);
  }
};

const screenOf = (stream: NodeJS.WriteStream): Screen | undefined =>
  stream.isTTY
    ? { size: () => sizeOf(stream.rows, stream.columns), write: (text) => void stream.write(text) }
    : undefined;

/** Some terminals report a size of 0, which is replaced by a usual size. */
const sizeOf = (rows: number, columns: number): ReturnType<Screen['size']> =>
  rows > 0 && columns > 0 ? { rows, columns } : { rows: 24, columns: 80 };

/** The process exits one tick after the command ends, so that an error of standard output can still set the exit code. */
void runProgram(process.argv.slice(2), createContext, report).then((code) => setImmediate(() => process.exit(code)));
