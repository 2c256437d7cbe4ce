import type { Failure } from '../client';
import { notReachable, type Problem, type Trouble } from './trouble';

/** What a failed call of the API at `url` means to the user of a command. */
export const troubleOf =
  (url: string) =>
  (failure: Failure): Trouble => {
    switch (failure._tag) {
      case 'Problem':
        return refusal(failure.body);
      case 'StrangeAnswer':
        return failure.status >= FIRST_REFUSAL
          ? refusal({ status: failure.status, title: 'The answer is no problem document' })
          : notReachable(apiAt(url), `something else does, with ${failure.status}: ${failure.reason}`);
      case 'NoAnswer':
        return notReachable(apiAt(url), failure.reason);
      case 'Aborted':
        return { _tag: 'Interrupted', mayHaveChanged: failure.mayHaveChanged };
    }
  };

const FIRST_REFUSAL = 400;
const FORBIDDEN = [401, 403];

const apiAt = (url: string): string => `The API at ${url}`;

const refusal = (problem: Problem): Trouble => ({
  _tag: FORBIDDEN.includes(problem.status) ? 'NotPermitted' : 'Refused',
  problem,
});
