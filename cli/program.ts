import { Command, CommanderError } from 'commander';
import { addExplain } from './commands/explain';
import { addExport } from './commands/export';
import { addForward } from './commands/forward';
import { addImport } from './commands/import';
import { addOneNodeCommands } from './commands/one-node';
import { addRate } from './commands/rate';
import { addRepublish } from './commands/republish';
import { addStatus } from './commands/status';
import { addTop } from './commands/top';
import { addWatch } from './commands/watch';
import { reasonOf } from '../process/reason-of';
import { CommandFailure, exitCodes, printable, type ExitCode } from './failure';
import type { Act, Surroundings } from './surroundings';

/** All commands of `pas`; `run` gets the work of the one that is called. */
export const createProgram = (run: (work: Work) => Promise<void>): Command => {
  const act: Act =
    (work) =>
    (...args) =>
      run((surroundings) => work(surroundings, ...args));
  const program = new Command('pas')
    .description('Thresholds, statuses and events of a Point Alarm Service')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .addHelpText('after', AFTER);
  addOneNodeCommands(program, act);
  for (const add of [addStatus, addImport, addExport, addRepublish, addWatch, addTop, addRate, addExplain, addForward])
    add(program, act);
  return program;
};

type Work = (surroundings: Surroundings) => Promise<ExitCode>;

/**
 * Runs the command that `args` name and answers its exit code. The surroundings are made only for a command that runs:
 * help needs none. Whatever is thrown reaches `report` in lines, without a stack.
 */
export const runProgram = async (
  args: ReadonlyArray<string>,
  surroundings: () => Surroundings,
  report: (line: string) => void,
): Promise<ExitCode> => {
  let code: ExitCode = exitCodes.done;
  const program = createProgram(async (work) => {
    code = await work(surroundings());
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const ended = endedBy(thrown, report);
    return ended === exitCodes.interrupted ? interruptedCode(args[0]) : ended;
  }
};

/** The exit code of a command that ended by what was thrown, which is reported. */
export const endedBy = (thrown: unknown, report: (line: string) => void): ExitCode => {
  if (thrown instanceof CommandFailure) {
    thrown.lines.forEach(report);
    return thrown.exitCode;
  }
  report(printable(`pas failed unexpectedly: ${reasonOf(thrown)}`));
  return exitCodes.someFailed;
};

/** The exit code of a command that a signal ends: some have no other end. */
export const interruptedCode = (command = ''): ExitCode =>
  ['watch', 'top', 'forward'].includes(command) ? exitCodes.done : exitCodes.interrupted;

const AFTER = `
Settings: POINT_ALARM_URL, POINT_ALARM_TOKEN, REDIS_URL, REDIS_TLS_*, EVENT_STREAM; see docs/cli.md.
Exit codes: 0 done, 1 something failed, 2 wrong use, 3 not reachable, 4 not permitted, 130 interrupted.

Example:
  $ export POINT_ALARM_TOKEN=$(npm run -s token)
  $ pas watch`;
