import * as E from 'fp-ts/Either';
import * as wf from '@temporalio/workflow';
import { decode, uuid } from './domain/codecs';
import { nodeIdOf, workflowIdOf } from './messages';

/** The node that this workflow is, by its id; a workflow of another id ends at once, with the reason. */
export const ownNodeId = (): string => {
  const { workflowId } = wf.workflowInfo();
  const nodeId = decode(uuid, nodeIdOf(workflowId));
  if (E.isRight(nodeId) && workflowId === workflowIdOf(nodeId.right)) return nodeId.right;
  throw wf.ApplicationFailure.nonRetryable(
    `the workflow id of a node is ${workflowIdOf('<UUID in lower case>')}, not ${workflowId}`,
    'InvalidWorkflowId',
  );
};
