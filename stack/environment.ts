import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable; an empty one counts as absent. */
export const setting = (env: Environment, name: string): string | undefined => {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
};

/** What `command` writes to its standard output. Errors: anything but exit code 0 within 20 s. */
export const outputOf = (command: string, args: ReadonlyArray<string>, env: Environment): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(command, args, { env, timeout: 20_000, encoding: 'utf8' }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')} failed: ${String(error.code ?? error.signal ?? 'unknown')}`));
    });
  });

export const onPath = (name: string, env: Environment): string | undefined =>
  (setting(env, 'PATH') ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);

export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};
