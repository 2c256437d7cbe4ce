import { Command, CommanderError } from 'commander';
import { addAck } from './commands/ack';
import { addExplain } from './commands/explain';
import { addExport } from './commands/export';
import { addForward } from './commands/forward';
import { addImport } from './commands/import';
import { addJournal } from './commands/journal';
import { addOneNodeCommands } from './commands/one-node';
import { addRate } from './commands/rate';
import { addRepublish } from './commands/republish';
import { addStatus } from './commands/status';
import { addTop } from './commands/top';
import { addWatch } from './commands/watch';
import { reasonOf } from '../process/reason-of';
import { CommandFailure, exitCodes, printable, type ExitCode } from './failure';
import type { Act, CommandContext } from './command-context';

/** The program `pas` with all its commands. When the user calls a command, `run` gets the function that does its work. */
export const createProgram = (run: (work: Work) => Promise<void>): Command => {
  const act: Act =
    (work) =>
    (...args) =>
      run((context) => work(context, ...args));
  const program = new Command('pas')
    .description('Thresholds, statuses and events of a Point Alarm Service')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .addHelpText('after', AFTER);
  addOneNodeCommands(program, act);
  const others = [addStatus, addImport, addExport, addRepublish, addWatch, addTop, addRate, addExplain, addForward];
  for (const add of [...others, addJournal, addAck]) add(program, act);
  return program;
};

type Work = (context: CommandContext) => Promise<ExitCode>;

/**
 * Runs the command that `args` name and returns its exit code. `createContext` is called only if a command runs: help needs no
 * settings. If the command throws, `report` gets the reason in lines, without a stack.
 */
export const runProgram = async (
  args: ReadonlyArray<string>,
  createContext: () => CommandContext,
  report: (line: string) => void,
): Promise<ExitCode> => {
  let code: ExitCode = exitCodes.done;
  const program = createProgram(async (work) => {
    const own = createContext();
    code = await work(own);
    if (code === exitCodes.done && own.interrupted.aborted && follows(args)) code = interruptedCode(args);
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const ended = endedBy(thrown, report);
    return ended === exitCodes.interrupted ? interruptedCode(args) : ended;
  }
};

export const endedBy = (thrown: unknown, report: (line: string) => void): ExitCode => {
  if (thrown instanceof CommandFailure) {
    thrown.lines.forEach(report);
    return thrown.exitCode;
  }
  report(printable(`pas failed unexpectedly: ${reasonOf(thrown)}`));
  return exitCodes.someFailed;
};

type Args = ReadonlyArray<string>;

const follows = ([command = '']: Args): boolean => ['watch', 'top', 'forward'].includes(command);

/** Matches options with which a command that follows the stream ends by itself. */
const ENDING = /^--(?:once|count|catch-up)\b/u;

/** The exit code of a command that a signal ended. Success if only a signal can end the command, as for `pas watch`. */
export const interruptedCode = (args: Args): ExitCode =>
  follows(args) && !args.some((arg) => ENDING.test(arg)) ? exitCodes.done : exitCodes.interrupted;

const AFTER = `
Settings: POINT_ALARM_URL, POINT_ALARM_TOKEN, REDIS_URL, REDIS_TLS_*, EVENT_STREAM; see docs/cli.md.
Exit codes: 0 done, 1 something failed, 2 wrong use, 3 not reachable, 4 not permitted, 130 interrupted.

Example:
  $ export POINT_ALARM_TOKEN=$(npm run -s token)
  $ pas watch`;
