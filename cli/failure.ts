import type { Failure, ProblemBody } from '../client';
import { reasonInWords } from '../workflows/domain/codecs';
import { reasonOf } from '../process/reason-of';
import { unlessAborted } from '../process/timeout';

/** The exit codes of commands (docs/cli.md, "Exit codes"). */
export const exitCodes = {
  done: 0,
  someFailed: 1,
  usage: 2,
  notReachable: 3,
  notPermitted: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Replaces control characters by `?`, because text that others chose, such as a unit, must not control the terminal. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '?');

/** The problem document with which the API refuses a call. If a proxy answered instead, it has only a status and a title. */
type Problem = Pick<ProblemBody, 'status' | 'title'> & Partial<ProblemBody>;

/** Why a command or a call failed: the exit code, and one line for the user per fault. If thrown, it ends the command. */
export class CommandFailure extends Error {
  readonly lines: ReadonlyArray<string>;

  constructor(
    readonly exitCode: ExitCode,
    lines: ReadonlyArray<string>,
    readonly problem?: Problem,
  ) {
    super(lines.join('\n'));
    this.lines = lines.map(printable);
  }
}

export const notReachable = (server: string, reason: string): CommandFailure =>
  new CommandFailure(exitCodes.notReachable, [`${server} does not answer: ${reason}`]);

export const accessDenied = (server: string, reason: string): CommandFailure =>
  new CommandFailure(exitCodes.notPermitted, [`${server} denies access: ${reason}`]);

export const wasInterrupted = (): CommandFailure => new CommandFailure(exitCodes.interrupted, ['interrupted']);

/** Waits for the result of `call`. Errors: throws a `CommandFailure` as soon as `signal` aborts, even if the call goes on. */
export const unlessInterrupted = <A>(signal: AbortSignal, call: Promise<A>): Promise<A> =>
  unlessAborted(signal, call, () => {
    throw wasInterrupted();
  });

export const unusable = (reason: string): CommandFailure => new CommandFailure(exitCodes.usage, [reason]);

export const UNAUTHENTICATED = 401;
/** HTTP statuses that deny access. */
export const DENIED = [UNAUTHENTICATED, 403];
const TOKEN_HINT =
  'POINT_ALARM_TOKEN must hold a token; one for development: export POINT_ALARM_TOKEN=$(npm run -s token)';

export const failureOfProblem = (problem: Problem): CommandFailure => {
  const { status, title, reasons = [], violations = [] } = problem;
  const lines = [
    `${title} (${status})`,
    ...reasons.map((fault) => `  ${reasonInWords(fault)}`),
    ...violations.map(({ action, resource }) => `  lacks ${action} for ${resource}`),
    ...(status === UNAUTHENTICATED ? [`  ${TOKEN_HINT}`] : []),
  ];
  return new CommandFailure(DENIED.includes(status) ? exitCodes.notPermitted : exitCodes.someFailed, lines, problem);
};

export const failureOfCall = (url: string, failure: Failure): CommandFailure => {
  const api = `The API at ${url}`;
  switch (failure._tag) {
    case 'Problem':
      return failureOfProblem(failure.body);
    case 'StrangeAnswer':
      return failure.status >= 400
        ? failureOfProblem({ status: failure.status, title: 'The answer is no problem document' })
        : notReachable(api, `something else answers, with ${failure.status}: ${failure.reason}`);
    case 'NotSent':
      return unusable(`The call cannot be sent: ${failure.reason}`);
    case 'NoAnswer':
      return notReachable(api, failure.reason);
    case 'Aborted':
      return new CommandFailure(exitCodes.interrupted, [
        failure.mayHaveChanged ? 'interrupted; the change may happen all the same' : 'interrupted',
      ]);
  }
};

/** Runs `work`, which writes `file`. Errors: throws a `CommandFailure` if `work` throws. */
export const writeOrFail = <A>(file: string, work: () => A): A => {
  try {
    return work();
  } catch (thrown) {
    throw unusable(`${file} cannot be written: ${reasonOf(thrown)}`);
  }
};
