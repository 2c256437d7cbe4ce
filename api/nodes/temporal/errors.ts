import * as client from '@temporalio/client';
import { CONTINUES_AS_NEW, STATUS_ATTRIBUTE, UNREADABLE_PAYLOAD, UNTIMED_EVENTS } from '../../../workflows/messages';
import { reasonOf } from '../../../process/reason-of';

/** The failure of `type` that a node answered an update with; absent for another error. */
export const updateFailure = (error: unknown, type: string): client.ApplicationFailure | undefined =>
  error instanceof client.WorkflowUpdateFailedError &&
  error.cause instanceof client.ApplicationFailure &&
  error.cause.type === type
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

export const classifyError = (error: unknown): ErrorClass => {
  const cause = causeOf(error);
  const [kind, mayHaveReached, reason = reasonOf(cause)] = consequenceOf(error, cause);
  return { kind, mayHaveReached, reason };
};

type Consequence = readonly [kind: ErrorClass['kind'], mayHaveReached: boolean, reason?: string];

const consequenceOf = (error: unknown, cause: unknown): Consequence => {
  // Some workers may have the key that this one lacks.
  const unread = updateFailure(error, UNREADABLE_PAYLOAD);
  if (unread !== undefined) return ['unavailable', false, unread.message];
  const sentBack = updateFailure(error, CONTINUES_AS_NEW);
  if (sentBack !== undefined) return ['transient', false, sentBack.message];
  if (error instanceof client.QueryNotRegisteredError && error.message.includes(UNTIMED_EVENTS))
    return ['transient', false, UNTIMED_EVENTS];
  if (error instanceof client.WorkflowUpdateFailedError || error instanceof client.QueryNotRegisteredError)
    return ['final', true];
  if (error instanceof client.NamespaceNotFoundError) return ['final', false];
  // The run of the update has ended meanwhile: the next run takes it under the same id.
  if (error instanceof client.WorkflowNotFoundError) return ['unavailable', true];
  if (!client.isGrpcServiceError(cause)) return ['final', true];
  if (isAttributeRefused(error)) return ['transient', false];
  return ofStatus(cause.code, `${cause.message} ${cause.details}`, client.isRetryableError(cause));
};

/** Whether the cluster does not know the search attribute: the next try comes with it again, or without. */
export const isAttributeRefused = (error: unknown): boolean =>
  reasonOf(causeOf(error)).includes(`search attribute ${STATUS_ATTRIBUTE}`);

const ofStatus = (code: number, text: string, isRetryable: boolean): Consequence => {
  switch (code) {
    case CANCELLED: // by the server, which had received it
      return ['transient', true];
    case DEADLINE_EXCEEDED:
      return ['late', !BEFORE_SENDING.test(text)];
    case RESOURCE_EXHAUSTED:
      return [text.includes(CLOSING) ? 'transient' : 'unavailable', TOO_LONG.test(text)];
    case FAILED_PRECONDITION:
      if (text.includes(LOST_TASK)) return ['transient', true];
      // Its task failed or was lost three times: the worker is overloaded, or the node needs another release.
      if (text.includes(FAILING_TASK)) return ['unavailable', false];
      // A server that has just started knows no worker yet; they connect again within seconds.
      if (text.includes(NO_POLLER)) return ['unavailable', false];
      return [text.includes(TOO_MANY_UPDATES) ? 'transient' : 'final', false];
    case UNAVAILABLE:
      return ['unavailable', !NEVER_SENT.test(text)];
    default:
      return [isRetryable ? 'unavailable' : 'final', !REFUSALS.has(code)];
  }
};

/** Messages of the client. */
const BEFORE_SENDING = /Deadline exceeded after(?!.*remote_addr)/iu; // before a call reached a connection; the server's differs
const TOO_LONG = /Received message larger than max/iu; // an answer that it cannot process
const NEVER_SENT = /No connection established|Name resolution failed/iu;

const causeOf = (error: unknown): unknown =>
  error instanceof client.ServiceError || error instanceof client.WorkflowUpdateRPCTimeoutOrCancelledError
    ? (error.cause ?? error)
    : error;
