import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createColors } from 'picocolors';
import { runProgram } from '../../cli/program';
import { cliSettings } from '../../process/settings';
import { rightOf } from './either';
import { folderOfTest } from './temporary-folder';

/** A folder with `files`, which goes when the test is over. */
export const folderWith = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const folder = folderOfTest();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
};

/** Runs a command of `pas` that needs no server, in `folder`: its exit code, and what it printed and reported. */
export const runHere = (folder: string, ...args: ReadonlyArray<string>) => runWith({}, folder, ...args);

/** The same with the settings of `env`; Temporal is not to be asked. */
export const runWith = (env: Readonly<Record<string, string>>, folder: string, ...args: ReadonlyArray<string>) =>
  runUntil(new AbortController().signal, env, folder, ...args);

/** The same, interrupted by a signal. */
export const runUntil = async (
  interrupted: AbortSignal,
  env: Readonly<Record<string, string>>,
  folder: string,
  ...args: ReadonlyArray<string>
) => {
  const settings = rightOf(cliSettings(env));
  const [out, err]: [string[], string[]] = [[], []];
  const report = (line: string): void => void err.push(line);
  const code = await runProgram(
    args,
    () => ({
      settings,
      temporal: () => {
        throw new Error('no server is to be asked');
      },
      print: (line) => void out.push(line),
      report,
      screen: undefined,
      reportScreen: undefined,
      colors: createColors(false),
      interrupted,
      outputClosed: new AbortController().signal,
      folder,
    }),
    report,
  );
  return { code, out, err };
};
