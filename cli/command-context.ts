import type { Colors } from 'picocolors/types';
import type { CliSettings, TemporalSettings } from '../process/settings';
import type { ExitCode } from './failure';

/** What a command gets from outside: settings, output, terminals, and signals to stop. */
export interface CommandContext {
  readonly settings: CliSettings;
  /** Reads the settings of Temporal, which few commands need. If one of them is faulty, the process ends. */
  readonly temporal: () => TemporalSettings;
  readonly print: (line: string) => void;
  /** Writes a line to standard error. */
  readonly report: (line: string) => void;
  /** The terminals of standard output (`screen`) and standard error (`reportScreen`). Undefined for a file or a pipe. */
  readonly screen: Screen | undefined;
  readonly reportScreen: Screen | undefined;
  readonly colors: Colors;
  readonly interrupted: AbortSignal;
  /** Aborted when the program that reads standard output has ended, such as `head` when it has enough lines. */
  readonly outputClosed: AbortSignal;
  /** The folder at which relative file names start. */
  readonly folder: string;
}

export interface Screen {
  readonly size: () => { readonly rows: number; readonly columns: number };
  readonly write: (text: string) => void;
}

/** For commands whose only effect is their output: closing standard output interrupts them, as Ctrl-C does. */
export const untilOutputCloses = (context: CommandContext): CommandContext => ({
  ...context,
  interrupted: AbortSignal.any([context.interrupted, context.outputClosed]),
});

/** Makes commander's action from the function that does a command's work. The process exits with the code that it returns. */
export type Act = <A extends ReadonlyArray<unknown>>(
  work: (context: CommandContext, ...args: A) => Promise<ExitCode>,
) => (...args: A) => Promise<void>;
