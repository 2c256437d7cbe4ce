import {
  ApplicationFailure,
  NamespaceNotFoundError,
  QueryNotRegisteredError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { expect, test } from 'vitest';
import { classifyError } from '../../../../../api/nodes/temporal/errors';
import { UNTIMED_EVENTS } from '../../../../../workflows/messages';

/** An error of gRPC, as the client throws it. */
const grpc = (code: number, details: string): Error =>
  Object.assign(new Error(`${code} X: ${details}`), { code, details, metadata: {} });

const service = (code: number, details: string): Error => new ServiceError('failed', { cause: grpc(code, details) });
const late = (details: string, code = 4): Error =>
  new WorkflowUpdateRPCTimeoutOrCancelledError('late', { cause: grpc(code, details) });
/** How the client tells of any query that failed. */
const unregistered = (message = ''): Error =>
  Object.assign(Object.create(QueryNotRegisteredError.prototype) as Error, { message });

/** How it tells of an update that its handler ended. */
const failed = (type?: string): Error =>
  new WorkflowUpdateFailedError('failed', ApplicationFailure.create({ ...(type !== undefined && { type }) }));
const lostTask = 'Unable to perform workflow execution update due to unexpected workflow task failure.';

test.each([
  ['no connection', service(14, 'No connection established. Last error: connect ECONNREFUSED'), 'unavailable', false],
  ['no such name', service(14, 'Name resolution failed for target dns:nowhere'), 'unavailable', false],
  ['a connection that broke', service(14, 'Connection dropped'), 'unavailable', true],
  ['a connection that was reset', grpc(14, 'read ECONNRESET'), 'unavailable', true],
  ['the deadline, sent', late('Deadline exceeded after 10.000s,remote_addr=127.0.0.1:7233'), 'late', true],
  ['the deadline, by the clock of the server', late('context deadline exceeded'), 'late', true],
  ['the deadline, never sent', late('Deadline exceeded after 10.000s,Waiting for LB pick'), 'late', false],
  ['a run that ends', grpc(8, 'workflow operation can not be applied because workflow is closing'), 'transient', false],
  ['a node that makes room to continue as new', failed('ContinuesAsNew'), 'transient', false],
  ['a call that the server cancelled', late('Call cancelled', 1), 'transient', true],
  ['an answer that is too long', service(8, 'Received message larger than max (5 vs 4)'), 'unavailable', true],
  ['a fault in the server', service(13, 'unexpected'), 'final', true],
  ['a full server', service(8, 'namespace rate limit exceeded'), 'unavailable', false],
  ['a lost workflow task', service(9, lostTask), 'transient', true],
  ['a run full of updates', grpc(9, 'The limit 2000 for the total number of distinct updates'), 'transient', false],
  ['no worker', service(9, 'no poller seen for task queue recently, worker may be down'), 'unavailable', false],
  ['another precondition', service(9, 'something else'), 'final', false],
  ['an aborted update', service(10, 'workflow update was aborted'), 'unavailable', true],
  ['an unknown attribute', service(3, 'search attribute PointAlarmStatus is not defined'), 'transient', false],
  ['a query that came before the task of an event', unregistered(UNTIMED_EVENTS), 'transient', false],
  ['no permission', service(7, 'Request unauthorized.'), 'final', false],
  ['no such namespace', new NamespaceNotFoundError('nowhere'), 'final', false],
  ['a run that ended', new WorkflowNotFoundError('gone', 'id', undefined), 'unavailable', true],
  ['a worker without the query', unregistered(), 'final', true],
  ['a handler that failed', failed(), 'final', true],
  ['a worker that lacks a key', failed('UnreadablePayload'), 'unavailable', false],
  ['a defect', new TypeError('x is undefined'), 'final', true],
])('what a failed try tells: %s', (_, error, kind, mayHaveReached) => {
  expect(classifyError(error)).toMatchObject({ kind, mayHaveReached });
});
