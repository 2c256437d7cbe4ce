import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as E from 'fp-ts/Either';
import type { Colors } from 'picocolors/types';
import type { CliSettings } from '../process/settings';
import { reasonOf } from '../process/reason-of';
import { exitCodeOf, linesOf, unusable, type Trouble } from './trouble';
import type { ExitCode } from './exit-codes';

/** What a command has around it. */
export interface Surroundings {
  readonly settings: CliSettings;
  /** Writes a line of output. */
  readonly print: (line: string) => void;
  /** Tells the user something, beside the output. */
  readonly tell: (line: string) => void;
  /** The terminal that the output goes to, if it does. */
  readonly screen: Screen | undefined;
  /** The terminal that what is told goes to, if it does. */
  readonly tellScreen: Screen | undefined;
  readonly colors: Colors;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** The folder that relative names of files start from. */
  readonly folder: string;
}

export interface Screen {
  readonly size: () => { readonly rows: number; readonly columns: number };
  readonly write: (text: string) => void;
}

/** Tells what the trouble is and answers the exit code for it. */
export const failed = ({ tell }: Surroundings, trouble: Trouble): ExitCode => {
  linesOf(trouble).forEach(tell);
  return exitCodeOf(trouble);
};

/** The text of `file` in UTF-8; `-` is standard input. */
export const readText = async ({ folder }: Surroundings, file: string): Promise<E.Either<Trouble, string>> => {
  try {
    const bytes = file === '-' ? await buffer(process.stdin) : await readFile(resolve(folder, file));
    return E.right(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (thrown) {
    return E.left(unusable(`${file} cannot be read: ${reasonOf(thrown)}`));
  }
};

/** The JSON document in `file`. */
export const readJson = async (surroundings: Surroundings, file: string): Promise<E.Either<Trouble, unknown>> =>
  E.chain((content: string) =>
    E.tryCatch(
      (): unknown => JSON.parse(content),
      () => unusable(`${file} is not JSON`),
    ),
  )(await readText(surroundings, file));
