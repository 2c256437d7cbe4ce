import type { Colors } from 'picocolors/types';
import type { CliSettings, TemporalSettings } from '../process/settings';
import type { ExitCode } from './failure';

/** The environment of a command: settings, terminal, signals. */
export interface Surroundings {
  readonly settings: CliSettings;
  /** How to reach Temporal, which few commands need; a fault of it ends the process. */
  readonly temporal: () => TemporalSettings;
  readonly print: (line: string) => void;
  /** Writes a line to standard error. */
  readonly report: (line: string) => void;
  /** The terminals of standard output and of standard error; absent where there is none. */
  readonly screen: Screen | undefined;
  readonly reportScreen: Screen | undefined;
  readonly colors: Colors;
  readonly interrupted: AbortSignal;
  /** Aborted when nobody reads standard output any more, such as `head` once it has its lines. */
  readonly outputClosed: AbortSignal;
  /** The folder that relative names of files start from. */
  readonly folder: string;
}

export interface Screen {
  readonly size: () => { readonly rows: number; readonly columns: number };
  readonly write: (text: string) => void;
}

/** The surroundings of a command whose only effect is its output: it ends as by Ctrl-C when nobody reads it. */
export const whileRead = (surroundings: Surroundings): Surroundings => ({
  ...surroundings,
  interrupted: AbortSignal.any([surroundings.interrupted, surroundings.outputClosed]),
});

/** Makes the action of a command from its work, whose exit code is kept. */
export type Act = <A extends ReadonlyArray<unknown>>(
  work: (surroundings: Surroundings, ...args: A) => Promise<ExitCode>,
) => (...args: A) => Promise<void>;
