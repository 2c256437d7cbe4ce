import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { createColors } from 'picocolors';
import { onTestFinished } from 'vitest';
import { runProgram } from '../../cli/program';
import { cliSettings } from '../../process/settings';

/** A folder with `files`, which goes when the test is over. */
export const folderWith = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-pas-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
};

/** Runs a command of `pas` that needs no server, in `folder`: its exit code, and what it printed and reported. */
export const runHere = (folder: string, ...args: ReadonlyArray<string>) => runWith({}, folder, ...args);

/** The same with the settings of `env`; Temporal is not to be asked. */
export const runWith = async (
  env: Readonly<Record<string, string>>,
  folder: string,
  ...args: ReadonlyArray<string>
) => {
  const settings = cliSettings(env);
  if (E.isLeft(settings)) throw new Error(settings.left.join());
  const [out, err]: [string[], string[]] = [[], []];
  const report = (line: string): void => void err.push(line);
  const code = await runProgram(
    args,
    () => ({
      settings: settings.right,
      temporal: () => {
        throw new Error('no server is to be asked');
      },
      print: (line) => void out.push(line),
      report,
      screen: undefined,
      reportScreen: undefined,
      colors: createColors(false),
      interrupted: new AbortController().signal,
      folder,
    }),
    report,
  );
  return { code, out, err };
};
