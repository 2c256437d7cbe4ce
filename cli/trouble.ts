import type { ProblemBody } from '../client';
import { exitCodes, type ExitCode } from './exit-codes';
import { printable } from './printable';

/** What the API, or something in front of it, says of a call that it refuses. */
export type Problem = Pick<ProblemBody, 'status' | 'title'> & Partial<ProblemBody>;

/** Why something asked for was not done. */
export type Trouble =
  | { readonly _tag: 'NotReachable'; readonly part: string; readonly reason: string }
  | { readonly _tag: 'NotPermitted'; readonly problem: Problem }
  | { readonly _tag: 'Refused'; readonly problem: Problem }
  | { readonly _tag: 'Unusable'; readonly reason: string }
  | { readonly _tag: 'Interrupted'; readonly mayHaveChanged: boolean };

export const notReachable = (part: string, reason: string): Trouble => ({ _tag: 'NotReachable', part, reason });
export const unusable = (reason: string): Trouble => ({ _tag: 'Unusable', reason });

export const exitCodeOf = (trouble: Trouble): ExitCode => {
  switch (trouble._tag) {
    case 'NotReachable':
      return exitCodes.notReachable;
    case 'NotPermitted':
      return exitCodes.notPermitted;
    case 'Refused':
      return exitCodes.someFailed;
    case 'Unusable':
      return exitCodes.usage;
    case 'Interrupted':
      return exitCodes.interrupted;
  }
};

/** The trouble as its user reads it, a line a fault. */
export const linesOf = (trouble: Trouble): ReadonlyArray<string> => rawLines(trouble).map(printable);

const rawLines = (trouble: Trouble): ReadonlyArray<string> => {
  switch (trouble._tag) {
    case 'NotReachable':
      return [`${trouble.part} does not answer: ${trouble.reason}`];
    case 'NotPermitted':
    case 'Refused':
      return problemLines(trouble.problem);
    case 'Unusable':
      return [trouble.reason];
    case 'Interrupted':
      return trouble.mayHaveChanged ? ['interrupted; the change may happen all the same'] : ['interrupted'];
  }
};

const problemLines = ({ status, title, reasons = [], violations = [] }: Problem): ReadonlyArray<string> => [
  `${title} (${status})`,
  ...reasons.map(({ name, reason }) => `  ${name === '' ? '' : `${name} `}${reason}`),
  ...violations.map(({ action, resource }) => `  lacks ${action} for ${resource}`),
  ...(status === UNAUTHENTICATED ? [`  ${TOKEN_HINT}`] : []),
];

const UNAUTHENTICATED = 401;
const TOKEN_HINT =
  'POINT_ALARM_TOKEN must hold a token; one for development: export POINT_ALARM_TOKEN=$(npm run -s token)';
