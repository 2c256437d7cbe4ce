import {
  isGrpcServiceError,
  isRetryableError,
  NamespaceNotFoundError,
  QueryNotRegisteredError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { RENEWING, UNREADABLE_PAYLOAD } from '../../../workflows/names';
import { updateFailure } from './update-failure';

/** What a failed try tells of the next. */
export interface Trouble {
  /**
   * `passing`: the node is about to go on, any time within the deadline is worth another try; `away`: a few tries within
   * seconds are; `late`: the deadline passed; `final`: no try helps.
   */
  readonly kind: 'passing' | 'away' | 'late' | 'final';
  /** Whether the request may have reached the server and be carried out. */
  readonly mayHaveReached: boolean;
  readonly reason: string;
}

const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;
/** Invalid argument, not found, already exists, no permission, not implemented, not authenticated: nothing was done. */
const REFUSALS = new Set([3, 5, 6, 7, 12, 16]);

/** Where each stands in the server: temporalio/temporal, service/history/consts/const.go. */
const RENEWS = 'workflow is closing';
const LOST_TASK = 'unexpected workflow task failure';
const TOO_MANY_UPDATES = 'total number of distinct updates';
const FAILING_TASK = 'Workflow Task in failed state';

/** The trouble that `error`, thrown by the client, stands for. */
export const troubleOf = (error: unknown): Trouble => {
  const cause = causeOf(error);
  const reason = cause instanceof Error ? cause.message : String(cause);
  // Some workers may have the key that this one lacks.
  const unread = updateFailure(error, UNREADABLE_PAYLOAD);
  if (unread !== undefined) return { kind: 'away', mayHaveReached: false, reason: unread.message };
  const sentBack = updateFailure(error, RENEWING);
  if (sentBack !== undefined) return { kind: 'passing', mayHaveReached: false, reason: sentBack.message };
  if (error instanceof WorkflowUpdateFailedError || error instanceof QueryNotRegisteredError) {
    return { kind: 'final', mayHaveReached: true, reason };
  }
  if (error instanceof NamespaceNotFoundError) return { kind: 'final', mayHaveReached: false, reason };
  // The run that had the update has ended meanwhile: the next one takes it under the same id.
  if (error instanceof WorkflowNotFoundError) return { kind: 'away', mayHaveReached: true, reason };
  if (!isGrpcServiceError(cause)) return { kind: 'final', mayHaveReached: true, reason };
  return ofStatus(cause.code, `${cause.message} ${cause.details}`, isRetryableError(cause), reason);
};

const ofStatus = (code: number, text: string, isRetryable: boolean, reason: string): Trouble => {
  switch (code) {
    case CANCELLED: // by the server, which had it
      return { kind: 'passing', mayHaveReached: true, reason };
    case DEADLINE_EXCEEDED:
      return { kind: 'late', mayHaveReached: !BEFORE_SENDING.test(text), reason };
    case RESOURCE_EXHAUSTED:
      return { kind: text.includes(RENEWS) ? 'passing' : 'away', mayHaveReached: TOO_LONG.test(text), reason };
    case FAILED_PRECONDITION:
      if (text.includes(LOST_TASK)) return { kind: 'passing', mayHaveReached: true, reason };
      // Its task failed or was lost three times: a worker that is short of time, or a node that waits for another release.
      if (text.includes(FAILING_TASK)) return { kind: 'away', mayHaveReached: false, reason };
      return { kind: text.includes(TOO_MANY_UPDATES) ? 'passing' : 'final', mayHaveReached: false, reason };
    case UNAVAILABLE:
      return { kind: 'away', mayHaveReached: !NEVER_SENT.test(text), reason };
    default:
      return { kind: isRetryable ? 'away' : 'final', mayHaveReached: !REFUSALS.has(code), reason };
  }
};

/** The client's own deadline, of a call that it had given to no connection yet. The server's deadline sounds otherwise. */
const BEFORE_SENDING = /Deadline exceeded after(?!.*remote_addr)/iu;

/** The client's own fault, of an answer that came. */
const TOO_LONG = /Received message larger than max/iu;

/** What gRPC says where it had no connection to send by. */
const NEVER_SENT = /No connection established|Name resolution failed/iu;

const causeOf = (error: unknown): unknown =>
  error instanceof ServiceError || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError
    ? (error.cause ?? error)
    : error;
