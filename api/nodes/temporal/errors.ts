import * as client from '@temporalio/client';
import { CONTINUES_AS_NEW, STATUS_ATTRIBUTE, UNREADABLE_PAYLOAD, UNTIMED_EVENTS } from '../../../workflows/messages';
import { reasonOf } from '../../../process/reason-of';

/** The failure with which a node ended an update, if it is of `type`; undefined for any other error. */
export const updateFailure = (error: unknown, type: string): client.ApplicationFailure | undefined =>
  error instanceof client.WorkflowUpdateFailedError &&
  error.cause instanceof client.ApplicationFailure &&
  error.cause.type === type
    ? error.cause
    : undefined;

/** What the error of an attempt means for the next attempt. */
export interface ErrorClass {
  /**
   * `transient`: the node takes calls again in a moment, so the call is retried until its deadline. `unavailable`: retried for
   * a few seconds. `late`: the deadline of the attempt passed; retried until that of the call. `final`: not retried.
   */
  readonly kind: 'transient' | 'unavailable' | 'late' | 'final';
  /** Whether the request may have reached the server, and may be carried out. */
  readonly mayHaveReached: boolean;
  readonly reason: string;
}

const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;
/**
 * Codes of gRPC with which the server states that it did nothing: invalid argument, not found, already exists, no permission,
 * not implemented, not authenticated.
 */
const REFUSALS = new Set([3, 5, 6, 7, 12, 16]);

/** Texts in the server's messages. Source: temporalio/temporal, service/history/consts/const.go and service/matching. */
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
  // The worker lacked the decryption key; another worker may have it.
  const unread = updateFailure(error, UNREADABLE_PAYLOAD);
  if (unread !== undefined) return ['unavailable', false, unread.message];
  const sentBack = updateFailure(error, CONTINUES_AS_NEW);
  if (sentBack !== undefined) return ['transient', false, sentBack.message];
  if (error instanceof client.QueryNotRegisteredError && error.message.includes(UNTIMED_EVENTS))
    return ['transient', false, UNTIMED_EVENTS];
  if (error instanceof client.WorkflowUpdateFailedError || error instanceof client.QueryNotRegisteredError)
    return ['final', true];
  if (error instanceof client.NamespaceNotFoundError) return ['final', false];
  // The run ended while the update was in flight; the next run takes the update under the same id.
  if (error instanceof client.WorkflowNotFoundError) return ['unavailable', true];
  if (!client.isGrpcServiceError(cause)) return ['final', true];
  if (isAttributeRefused(error)) return ['transient', false];
  return ofStatus(cause.code, `${cause.message} ${cause.details}`, client.isRetryableError(cause));
};

/** Whether Temporal does not know the search attribute. `createStatusAttribute` decides if the next attempt sends it. */
export const isAttributeRefused = (error: unknown): boolean =>
  reasonOf(causeOf(error)).includes(`search attribute ${STATUS_ATTRIBUTE}`);

const ofStatus = (code: number, text: string, isRetryable: boolean): Consequence => {
  switch (code) {
    case CANCELLED: // the server cancelled a request that it had received
      return ['transient', true];
    case DEADLINE_EXCEEDED:
      return ['late', !BEFORE_SENDING.test(text)];
    case RESOURCE_EXHAUSTED:
      return [text.includes(CLOSING) ? 'transient' : 'unavailable', TOO_LONG.test(text)];
    case FAILED_PRECONDITION:
      if (text.includes(LOST_TASK)) return ['transient', true];
      // The workflow task failed or was lost three times: the worker is overloaded, or its code version cannot run the node.
      if (text.includes(FAILING_TASK)) return ['unavailable', false];
      // A server that has just started knows no worker yet; workers reconnect within seconds.
      if (text.includes(NO_POLLER)) return ['unavailable', false];
      return [text.includes(TOO_MANY_UPDATES) ? 'transient' : 'final', false];
    case UNAVAILABLE:
      return ['unavailable', !NEVER_SENT.test(text)];
    default:
      return [isRetryable ? 'unavailable' : 'final', !REFUSALS.has(code)];
  }
};

/** Texts in the messages of the client. */
const BEFORE_SENDING = /Deadline exceeded after(?!.*remote_addr)/iu; // no connection was made; the server's own message differs
const TOO_LONG = /Received message larger than max/iu; // the answer is longer than the client accepts
const NEVER_SENT = /No connection established|Name resolution failed/iu;

const causeOf = (error: unknown): unknown =>
  error instanceof client.ServiceError || error instanceof client.WorkflowUpdateRPCTimeoutOrCancelledError
    ? (error.cause ?? error)
    : error;
