import type { Failure, ProblemBody } from '../client';
import { inWords } from '../process/json/in-words';
import { reasonOf } from '../process/reason-of';
import { exitCodes, type ExitCode } from './exit-codes';
import { printable } from './printable';

/** The problem with which the API, or a proxy before it, refuses a call. */
export type Problem = Pick<ProblemBody, 'status' | 'title'> & Partial<ProblemBody>;

/** Why a command, or one call of it, failed. */
export type CommandFailure =
  | { readonly _tag: 'NotReachable'; readonly server: string; readonly reason: string }
  | { readonly _tag: 'NotPermitted'; readonly problem: Problem }
  | { readonly _tag: 'AccessDenied'; readonly server: string; readonly reason: string }
  | { readonly _tag: 'Refused'; readonly problem: Problem }
  | { readonly _tag: 'Unusable'; readonly reason: string }
  | { readonly _tag: 'Interrupted'; readonly mayHaveChanged: boolean };

export const notReachable = (server: string, reason: string): CommandFailure => ({
  _tag: 'NotReachable',
  server,
  reason,
});
export const accessDenied = (server: string, reason: string): CommandFailure => ({
  _tag: 'AccessDenied',
  server,
  reason,
});
export const unusable = (reason: string): CommandFailure => ({ _tag: 'Unusable', reason });

/** A failure from a place whose callers cannot go on: the command ends by it. */
export class CommandError extends Error {
  constructor(readonly failure: CommandFailure) {
    super(failure._tag);
  }
}

/** Does `work`, which writes `file`. Errors: it throws a `CommandError` where the file cannot be written. */
export const writing = <A>(file: string, work: () => A): A => {
  try {
    return work();
  } catch (thrown) {
    throw new CommandError(unusable(`${file} cannot be written: ${reasonOf(thrown)}`));
  }
};

/** The failure of a command whose call of the API at `url` failed. */
export const commandFailureOf =
  (url: string) =>
  (failure: Failure): CommandFailure => {
    switch (failure._tag) {
      case 'Problem':
        return refusal(failure.body);
      case 'StrangeAnswer':
        return failure.status >= FIRST_REFUSAL
          ? refusal({ status: failure.status, title: 'The answer is no problem document' })
          : notReachable(apiAt(url), `something else answers, with ${failure.status}: ${failure.reason}`);
      case 'NotSent':
        return unusable(`The call cannot be sent: ${failure.reason}`);
      case 'NoAnswer':
        return notReachable(apiAt(url), failure.reason);
      case 'Aborted':
        return { _tag: 'Interrupted', mayHaveChanged: failure.mayHaveChanged };
    }
  };

const FIRST_REFUSAL = 400;
const FORBIDDEN = [401, 403];

const apiAt = (url: string): string => `The API at ${url}`;

const refusal = (problem: Problem): CommandFailure => ({
  _tag: FORBIDDEN.includes(problem.status) ? 'NotPermitted' : 'Refused',
  problem,
});

export const exitCodeOf = (failure: CommandFailure): ExitCode => {
  switch (failure._tag) {
    case 'NotReachable':
      return exitCodes.notReachable;
    case 'NotPermitted':
    case 'AccessDenied':
      return exitCodes.notPermitted;
    case 'Refused':
      return exitCodes.someFailed;
    case 'Unusable':
      return exitCodes.usage;
    case 'Interrupted':
      return exitCodes.interrupted;
  }
};

/** The failure as lines for the user, one per fault. */
export const linesOf = (failure: CommandFailure): ReadonlyArray<string> => rawLines(failure).map(printable);

const rawLines = (failure: CommandFailure): ReadonlyArray<string> => {
  switch (failure._tag) {
    case 'NotReachable':
      return [`${failure.server} does not answer: ${failure.reason}`];
    case 'AccessDenied':
      return [`${failure.server} denies access: ${failure.reason}`];
    case 'NotPermitted':
    case 'Refused':
      return problemLines(failure.problem);
    case 'Unusable':
      return [failure.reason];
    case 'Interrupted':
      return failure.mayHaveChanged ? ['interrupted; the change may happen all the same'] : ['interrupted'];
  }
};

const problemLines = ({ status, title, reasons = [], violations = [] }: Problem): ReadonlyArray<string> => [
  `${title} (${status})`,
  ...reasons.map((fault) => `  ${inWords(fault)}`),
  ...violations.map(({ action, resource }) => `  lacks ${action} for ${resource}`),
  ...(status === UNAUTHENTICATED ? [`  ${TOKEN_HINT}`] : []),
];

const UNAUTHENTICATED = 401;
const TOKEN_HINT =
  'POINT_ALARM_TOKEN must hold a token; one for development: export POINT_ALARM_TOKEN=$(npm run -s token)';
