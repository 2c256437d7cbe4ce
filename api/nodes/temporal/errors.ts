import {
  ApplicationFailure,
  isGrpcServiceError,
  isRetryableError,
  NamespaceNotFoundError,
  QueryNotRegisteredError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { CONTINUES_AS_NEW, UNREADABLE_PAYLOAD, UNTIMED_EVENTS } from '../../../workflows/messages';
import { reasonOf } from '../../../process/reason-of';

/** The failure of `type` that a node answered an update with; absent for another error. */
export const updateFailure = (error: unknown, type: string): ApplicationFailure | undefined =>
  error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure && error.cause.type === type
    ? error.cause
    : undefined;

/** The consequence of a failed try for the next. */
export interface ErrorClass {
  /**
   * `transient`: the node continues soon, so it is retried until the deadline; `unavailable`: retried for a few
   * seconds; `late`: the deadline passed; `final`: not retried.
   */
  readonly kind: 'transient' | 'unavailable' | 'late' | 'final';
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

/** Source in the server: temporalio/temporal, service/history/consts/const.go and service/matching. */
const CLOSING = 'workflow is closing';
const LOST_TASK = 'unexpected workflow task failure';
const TOO_MANY_UPDATES = 'total number of distinct updates';
const FAILING_TASK = 'Workflow Task in failed state';
const NO_POLLER = 'no poller seen for task queue recently';

/** Classifies an error that the client threw. */
export const classifyError = (error: unknown): ErrorClass => {
  const cause = causeOf(error);
  const reason = reasonOf(cause);
  // Some workers may have the key that this one lacks.
  const unread = updateFailure(error, UNREADABLE_PAYLOAD);
  if (unread !== undefined) return { kind: 'unavailable', mayHaveReached: false, reason: unread.message };
  const sentBack = updateFailure(error, CONTINUES_AS_NEW);
  if (sentBack !== undefined) return { kind: 'transient', mayHaveReached: false, reason: sentBack.message };
  if (error instanceof QueryNotRegisteredError && error.message.includes(UNTIMED_EVENTS)) {
    return { kind: 'transient', mayHaveReached: false, reason: UNTIMED_EVENTS };
  }
  if (error instanceof WorkflowUpdateFailedError || error instanceof QueryNotRegisteredError) {
    return { kind: 'final', mayHaveReached: true, reason };
  }
  if (error instanceof NamespaceNotFoundError) return { kind: 'final', mayHaveReached: false, reason };
  // The run of the update has ended meanwhile: the next run takes it under the same id.
  if (error instanceof WorkflowNotFoundError) return { kind: 'unavailable', mayHaveReached: true, reason };
  if (!isGrpcServiceError(cause)) return { kind: 'final', mayHaveReached: true, reason };
  return ofStatus(cause.code, `${cause.message} ${cause.details}`, isRetryableError(cause), reason);
};

const ofStatus = (code: number, text: string, isRetryable: boolean, reason: string): ErrorClass => {
  switch (code) {
    case CANCELLED: // by the server, which had received it
      return { kind: 'transient', mayHaveReached: true, reason };
    case DEADLINE_EXCEEDED:
      return { kind: 'late', mayHaveReached: !BEFORE_SENDING.test(text), reason };
    case RESOURCE_EXHAUSTED:
      return {
        kind: text.includes(CLOSING) ? 'transient' : 'unavailable',
        mayHaveReached: TOO_LONG.test(text),
        reason,
      };
    case FAILED_PRECONDITION:
      if (text.includes(LOST_TASK)) return { kind: 'transient', mayHaveReached: true, reason };
      // Its task failed or was lost three times: the worker is overloaded, or the node needs another release.
      if (text.includes(FAILING_TASK)) return { kind: 'unavailable', mayHaveReached: false, reason };
      // A server that has just started knows no worker yet; they connect again within seconds.
      if (text.includes(NO_POLLER)) return { kind: 'unavailable', mayHaveReached: false, reason };
      return { kind: text.includes(TOO_MANY_UPDATES) ? 'transient' : 'final', mayHaveReached: false, reason };
    case UNAVAILABLE:
      return { kind: 'unavailable', mayHaveReached: !NEVER_SENT.test(text), reason };
    default:
      return { kind: isRetryable ? 'unavailable' : 'final', mayHaveReached: !REFUSALS.has(code), reason };
  }
};

/** Message of the client's own deadline before a call reached a connection; the server's differs. */
const BEFORE_SENDING = /Deadline exceeded after(?!.*remote_addr)/iu;

/** Message of the client for an answer that it cannot process. */
const TOO_LONG = /Received message larger than max/iu;

/** Message of gRPC for a call without a connection. */
const NEVER_SENT = /No connection established|Name resolution failed/iu;

const causeOf = (error: unknown): unknown =>
  error instanceof ServiceError || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError
    ? (error.cause ?? error)
    : error;
