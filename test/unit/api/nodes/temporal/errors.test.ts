import {
  ApplicationFailure,
  NamespaceNotFoundError,
  QueryNotRegisteredError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { retry } from '../../../../../api/nodes/temporal/calls';
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

describe('what a failed try tells', () => {
  test.each([
    ['no connection', service(14, 'No connection established. Last error: connect ECONNREFUSED'), 'unavailable', false],
    ['no such name', service(14, 'Name resolution failed for target dns:nowhere'), 'unavailable', false],
    ['a connection that broke', service(14, 'Connection dropped'), 'unavailable', true],
    ['a connection that was reset', grpc(14, 'read ECONNRESET'), 'unavailable', true],
    ['the deadline, sent', late('Deadline exceeded after 10.000s,remote_addr=127.0.0.1:7233'), 'late', true],
    ['the deadline, by the clock of the server', late('context deadline exceeded'), 'late', true],
    ['the deadline, never sent', late('Deadline exceeded after 10.000s,Waiting for LB pick'), 'late', false],
    [
      'a node that continues as new',
      grpc(8, 'workflow operation can not be applied because workflow is closing'),
      'transient',
      false,
    ],
    [
      'a node that makes room to continue as new',
      new WorkflowUpdateFailedError('failed', ApplicationFailure.create({ type: 'ContinuesAsNew' })),
      'transient',
      false,
    ],
    ['a call that the server cancelled', late('Call cancelled', 1), 'transient', true],
    ['an answer that is too long', service(8, 'Received message larger than max (5 vs 4)'), 'unavailable', true],
    ['a fault in the server', service(13, 'unexpected'), 'final', true],
    ['a full server', service(8, 'namespace rate limit exceeded'), 'unavailable', false],
    [
      'a lost workflow task',
      service(9, 'Unable to perform workflow execution update due to unexpected workflow task failure.'),
      'transient',
      true,
    ],
    ['a run full of updates', grpc(9, 'The limit 2000 for the total number of distinct updates'), 'transient', false],
    [
      'a query that no worker fetched',
      service(9, 'no poller seen for task queue recently, worker may be down'),
      'unavailable',
      false,
    ],
    ['another precondition', service(9, 'something else'), 'final', false],
    ['an aborted update', service(10, 'workflow update was aborted'), 'unavailable', true],
    ['a search attribute nobody knows', service(3, 'search attribute PointAlarmStatus is not defined'), 'final', false],
    ['a query that came before the task of an event', unregistered(UNTIMED_EVENTS), 'transient', false],
    ['no permission', service(7, 'Request unauthorized.'), 'final', false],
    ['no such namespace', new NamespaceNotFoundError('nowhere'), 'final', false],
    ['a run that ended', new WorkflowNotFoundError('gone', 'id', undefined), 'unavailable', true],
    ['a worker without the query', unregistered(), 'final', true],
    ['a handler that failed', new WorkflowUpdateFailedError('failed', ApplicationFailure.create({})), 'final', true],
    [
      'a worker that lacks a key',
      new WorkflowUpdateFailedError('failed', ApplicationFailure.create({ type: 'UnreadablePayload' })),
      'unavailable',
      false,
    ],
    ['a defect', new TypeError('x is undefined'), 'final', true],
  ])('%s', (_, error, kind, mayHaveReached) => {
    expect(classifyError(error)).toMatchObject({ kind, mayHaveReached });
  });
});

describe('persistence', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Fails with each of `errors`, the last one for ever. */
  const failing = (...errors: ReadonlyArray<Error>) => {
    let tries = 0;
    return {
      attempt: (): Promise<string> => Promise.reject(errors[Math.min(tries++, errors.length - 1)] ?? new Error()),
      tries: () => tries,
    };
  };
  const closing = grpc(8, 'workflow is closing');
  const nobody = grpc(14, 'No connection established');

  const outcome = async (attempt: () => Promise<string>, until = 10_000) => {
    const done = retry(attempt, until).then((ended) => ({ ended, at: Date.now() }));
    await vi.advanceTimersByTimeAsync(60_000);
    return done;
  };

  test('goes on over what passes, until the deadline', async () => {
    const { attempt, tries } = failing(closing);
    const { ended, at } = await outcome(attempt);
    expect(ended).toMatchObject(E.left({ kind: 'transient', mayHaveReached: false }));
    expect(at).toBeGreaterThan(7_000);
    expect(at).toBeLessThanOrEqual(10_000);
    expect(tries()).toBeGreaterThan(10);
  });

  test('gives up on a server that is unavailable for five seconds', async () => {
    const { ended, at } = await outcome(failing(nobody).attempt);
    expect(ended).toMatchObject(E.left({ kind: 'unavailable', mayHaveReached: false }));
    expect(at).toBeLessThan(6_000);
  });

  test('remembers a try that may have reached the server', async () => {
    const { ended } = await outcome(failing(grpc(14, 'Connection dropped'), nobody).attempt);
    expect(ended).toMatchObject(E.left({ kind: 'unavailable', mayHaveReached: true }));
  });

  test('does not repeat what no try helps', async () => {
    const { attempt, tries } = failing(service(3, 'bad'));
    await outcome(attempt);
    expect(tries()).toBe(1);
  });

  test('ends with the answer as soon as there is one', async () => {
    let tries = 0;
    const { ended, at } = await outcome(() => (++tries < 4 ? Promise.reject(closing) : Promise.resolve('done')));
    expect(ended).toEqual(E.right('done'));
    expect(at).toBeLessThan(200);
  });
});
