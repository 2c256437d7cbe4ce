import {
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { TemporalFailure } from '@temporalio/common';

/** How a call ends that has no result. */
export type Fault =
  | { readonly type: 'status'; readonly code: number; readonly details: string }
  | { readonly type: 'not found' }
  | { readonly type: 'update failed'; readonly failure: TemporalFailure };

const status = (code: number, details: string): Fault => ({ type: 'status', code, details });

/**
 * The statuses of the server, with the words by which callers tell them apart.
 *
 * Source: temporalio/temporal v1.31.2, service/history/consts/const.go and service/history/workflow/update; gRPC's own are
 * those of @grpc/grpc-js.
 */
export const faults = {
  closing: status(8, 'workflow operation can not be applied because workflow is closing'),
  lostTask: status(9, 'unexpected workflow task failure'),
  noConnection: status(14, 'No connection established'),
  dropped: status(14, 'Connection dropped'),
  late: status(4, 'Deadline exceeded after 10.000s,remote_addr=temporal:7233'),
  notFound: { type: 'not found' },
} as const satisfies Record<string, Fault>;

/** The error that the SDK's client throws. */
export const errorOf = (fault: Fault, workflowId: string): Error => {
  if (fault.type === 'not found') return new WorkflowNotFoundError('workflow not found', workflowId, undefined);
  if (fault.type === 'update failed') return new WorkflowUpdateFailedError('Workflow Update failed', fault.failure);
  const { code, details } = fault;
  const cause = Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} });
  return code === 4
    ? new WorkflowUpdateRPCTimeoutOrCancelledError('Update RPC timed out or was cancelled', { cause })
    : new ServiceError('Workflow Update failed', { cause });
};
