import { ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSendGroup } from '../../../../../api/nodes/temporal/send-group';
import { createLog } from '../../../../../process/log';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const late = (): Error => {
  const cause = Object.assign(new Error('late'), { code: 4, details: 'context deadline exceeded', metadata: {} });
  return new ServiceError('failed', { cause });
};

test('an update that outlives its callers is waited for until the server knows it no more, and not without pauses', async () => {
  let polls = 0;
  let isKnown = true;
  const result = () => {
    polls += 1;
    if (polls > 200) isKnown = false; // lest a loop without a pause go on for ever
    return Promise.reject(isKnown ? late() : new WorkflowNotFoundError('gone', 'node', undefined));
  };
  const workflows = {
    getHandle: () => ({ getUpdateHandle: () => ({ result }) }),
    executeUpdateWithStart: () => Promise.reject(late()),
  };
  const log = createLog({ level: 'silent', process: 'test' });
  const send = createSendGroup({
    workflowsUntil: () => workflows as never,
    taskQueue: 'q',
    searchAttributes: false,
    log,
  });
  const sending = send('node', { commands: [] }, performance.now() + 1_000);
  await vi.advanceTimersByTimeAsync(2_000);
  const { answer, completed } = await sending;
  expect(answer).toEqual(E.left({ _tag: 'TimedOut' }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(polls).toBeLessThanOrEqual(63);
  isKnown = false;
  await vi.advanceTimersByTimeAsync(1_000);
  await completed;
});
