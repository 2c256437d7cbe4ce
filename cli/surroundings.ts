import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Colors } from 'picocolors/types';
import type { CliSettings, TemporalSettings } from '../process/settings';
import { inWords } from '../process/json/in-words';
import { readJson } from '../process/json/read-json';
import { reasonOf } from '../process/reason-of';
import { exitCodeOf, linesOf, unusable, type CommandFailure } from './command-failure';
import { decoderFor, NO_TEXT } from './encoding';
import type { ExitCode } from './exit-codes';

/** The environment of a command: settings, terminal, signals. */
export interface Surroundings {
  readonly settings: CliSettings;
  /** How to reach Temporal, which few commands need; a fault of it ends the process. */
  readonly temporal: () => TemporalSettings;
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Writes a line to standard error. */
  readonly report: (line: string) => void;
  /** The terminal of standard output; absent where that is no terminal. */
  readonly screen: Screen | undefined;
  /** The terminal of standard error; absent where that is no terminal. */
  readonly reportScreen: Screen | undefined;
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

/** Reports the failure and returns its exit code. */
export const failed = ({ report }: Surroundings, failure: CommandFailure): ExitCode => {
  linesOf(failure).forEach(report);
  return exitCodeOf(failure);
};

/** The text of `file`; `-` is standard input. */
export const readText = ({ folder }: Surroundings, file: string): Promise<E.Either<CommandFailure, string>> =>
  pipe(
    TE.tryCatch(
      () => (file === '-' ? buffer(process.stdin) : readFile(resolve(folder, file))),
      (thrown) => unusable(`${file} cannot be read: ${reasonOf(thrown)}`),
    ),
    TE.chainEitherK((bytes) =>
      E.tryCatch(
        () => decoderFor(bytes).decode(bytes),
        () => unusable(`${file} ${NO_TEXT}`),
      ),
    ),
  )();

/** The JSON document in `file`, read as strictly as the API reads a body. */
export const readDocument = async (
  surroundings: Surroundings,
  file: string,
): Promise<E.Either<CommandFailure, unknown>> =>
  pipe(
    await readText(surroundings, file),
    E.chain((text) =>
      pipe(
        readJson(Buffer.from(text)),
        E.mapLeft((fault) => [fault]),
        E.chain(({ value, faults }) => (faults.length === 0 ? E.right(value) : E.left(faults))),
        E.mapLeft((faults) => unusable(`${file}: ${faults.map(inWords).join(', ')}`)),
      ),
    ),
  );

/** Runs the work of a command and keeps its exit code. */
export type Act = (work: (surroundings: Surroundings) => Promise<ExitCode>) => Promise<void>;
