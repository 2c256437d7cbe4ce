import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as wf from '@temporalio/workflow';
import { decode, uuid } from './domain/codecs';
import { decodeArgument, type Begun } from './domain/node/carried';
import { nodeIdOf, workflowIdOf } from './names';
import { mustBeReadable } from './unreadable';

/**
 * This node at the beginning of its run.
 *
 * What a run before left must never be lost: where it does not decode, the workflow task fails, and the node waits for a
 * release that can read it, or for a worker that has the key. A start by hand with an argument that does not decode ends at
 * once, with the reason.
 */
export const begin = (argument: unknown): Begun =>
  pipe(
    decodeArgument(ownNodeId(), argument),
    E.getOrElseW((reasons) => {
      mustBeReadable(argument);
      const problem = `the argument does not decode: ${JSON.stringify(reasons.slice(0, 5))}`;
      if (wf.workflowInfo().continuedFromExecutionRunId === undefined)
        throw wf.ApplicationFailure.nonRetryable(problem, 'InvalidState');
      throw new Error(problem);
    }),
  );

/** The node that this workflow is, by its id; a workflow of another id ends at once, with the reason. */
const ownNodeId = (): string => {
  const { workflowId } = wf.workflowInfo();
  const nodeId = decode(uuid, nodeIdOf(workflowId));
  if (E.isRight(nodeId) && workflowId === workflowIdOf(nodeId.right)) return nodeId.right;
  throw wf.ApplicationFailure.nonRetryable(
    `the workflow id of a node is ${workflowIdOf('<UUID in lower case>')}, not ${workflowId}`,
    'InvalidWorkflowId',
  );
};
