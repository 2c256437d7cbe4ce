import { ApplicationFailure, WorkflowUpdateFailedError } from '@temporalio/client';

/** The failure of `type` with which a node answered an update; absent where `error` is another. */
export const updateFailure = (error: unknown, type: string): ApplicationFailure | undefined =>
  error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure && error.cause.type === type
    ? error.cause
    : undefined;
