import { ApplicationFailure, WorkflowUpdateFailedError } from '@temporalio/client';

/** The failure of `type` that a node answered an update with; absent for another error. */
export const updateFailure = (error: unknown, type: string): ApplicationFailure | undefined =>
  error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure && error.cause.type === type
    ? error.cause
    : undefined;
