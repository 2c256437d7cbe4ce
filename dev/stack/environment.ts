import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { Environment } from '../../process/settings/read';
import { reportedFault, lineOf } from './report';

export type { Environment };

/** The value of a variable; an empty or blank one counts as absent. */
export const setting = (env: Environment, name: string): string | undefined => {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
};

/** Loads settings from a file, if the file exists. Errors: a `Fault` if it cannot be read. */
export const loadSettings = (file: string): void => {
  try {
    if (existsSync(file)) process.loadEnvFile(file);
  } catch (thrown) {
    throw reportedFault(`${file} cannot be read: ${lineOf(thrown)}`);
  }
};

/** What `command` writes to its standard output. Errors: anything but exit code 0 within 20 s. */
export const outputOf = (command: string, args: ReadonlyArray<string>, env: Environment): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(command, args, { env, timeout: 20_000, encoding: 'utf8' }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')} failed: ${String(error.code ?? error.signal ?? 'unknown')}`));
    });
  });

/** The absolute path of a command, if it is on PATH. It is absolute, because the command is run in other folders as well. */
export const onPath = (name: string, env: Environment): string | undefined =>
  (setting(env, 'PATH') ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(folder, name))
    .find(isExecutable);

/** The absolute path of a command that a user named. As in a shell, only a name without a `/` is looked up on PATH. */
export const pathOf = (named: string, env: Environment): string =>
  named.includes('/') ? resolve(named) : (onPath(named, env) ?? named);

export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};
