import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as wf from '@temporalio/workflow';
import { decodeCarried } from './domain/node/carried';
import type { Node } from './domain/node/node';
import { mustBeReadable } from './unreadable';

/** What a run before left must never be lost: where it does not decode, the run waits for a release that can read it. */
export const carriedNode = (carried: unknown): Node =>
  pipe(
    decodeCarried(carried),
    E.getOrElseW((reasons) => {
      const problem = `the carried state does not decode: ${JSON.stringify(reasons.slice(0, 5))}`;
      if (wf.workflowInfo().continuedFromExecutionRunId !== undefined) {
        mustBeReadable(carried);
        throw new Error(problem);
      }
      throw wf.ApplicationFailure.nonRetryable(problem, 'InvalidState');
    }),
  );
