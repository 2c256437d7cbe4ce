import type { Failure, ProblemBody } from '../client';
import { inWords } from '../process/json';
import { reasonOf } from '../process/reason-of';
import { unlessAborted } from '../process/within';

/** How a command ends (docs/cli.md, "Exit codes"). */
export const exitCodes = {
  done: 0,
  someFailed: 1,
  usage: 2,
  notReachable: 3,
  notPermitted: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** `text` for a terminal: what others chose, such as a unit, must not steer it. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '?');

/** The problem with which the API, or a proxy before it, refuses a call. */
type Problem = Pick<ProblemBody, 'status' | 'title'> & Partial<ProblemBody>;

/** Why a command, or one call of it, failed: its exit code, and a line for the user per fault. Thrown, it ends the command. */
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

/** What `call` brings, unless `signal` aborts before. Errors: then it throws a `CommandFailure`, and nobody waits for the call. */
export const unlessInterrupted = <A>(signal: AbortSignal, call: Promise<A>): Promise<A> =>
  unlessAborted(signal, call, () => {
    throw wasInterrupted();
  });

export const unusable = (reason: string): CommandFailure => new CommandFailure(exitCodes.usage, [reason]);

export const UNAUTHENTICATED = 401;
/** The statuses of HTTP that deny access. */
export const DENIED = [UNAUTHENTICATED, 403];
const TOKEN_HINT =
  'POINT_ALARM_TOKEN must hold a token; one for development: export POINT_ALARM_TOKEN=$(npm run -s token)';

export const refused = (problem: Problem): CommandFailure => {
  const { status, title, reasons = [], violations = [] } = problem;
  const lines = [
    `${title} (${status})`,
    ...reasons.map((fault) => `  ${inWords(fault)}`),
    ...violations.map(({ action, resource }) => `  lacks ${action} for ${resource}`),
    ...(status === UNAUTHENTICATED ? [`  ${TOKEN_HINT}`] : []),
  ];
  return new CommandFailure(DENIED.includes(status) ? exitCodes.notPermitted : exitCodes.someFailed, lines, problem);
};

export const failureOfCall = (url: string, failure: Failure): CommandFailure => {
  const api = `The API at ${url}`;
  switch (failure._tag) {
    case 'Problem':
      return refused(failure.body);
    case 'StrangeAnswer':
      return failure.status >= 400
        ? refused({ status: failure.status, title: 'The answer is no problem document' })
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

/** Does `work`, which writes `file`. Errors: it throws a `CommandFailure` where the file cannot be written. */
export const writing = <A>(file: string, work: () => A): A => {
  try {
    return work();
  } catch (thrown) {
    throw unusable(`${file} cannot be written: ${reasonOf(thrown)}`);
  }
};
