import { ServiceError } from '@temporalio/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSendGroup } from '../../../../../api/nodes/temporal/send-group';
import { createLog } from '../../../../../process/log';

const log = createLog({ level: 'silent', process: 'test' });

const refused = (): Error => {
  const details = 'Namespace default has no mapping defined for search attribute PointAlarmStatus';
  const cause = Object.assign(new Error(`3 INVALID_ARGUMENT: ${details}`), { code: 3, details, metadata: {} });
  return new ServiceError('failed', { cause });
};

/** Sends groups to a Temporal that refuses starts with the attribute at first (ms), and how each group came. */
const sendingWhereItIsKnownAfter = (ms: number, searchAttributes = true) => {
  const begin = Date.now();
  const came: string[] = [];
  const answer = (how: string) => {
    came.push(how);
    return Promise.resolve({ outcomes: [] });
  };
  const workflows = {
    getHandle: () => ({ executeUpdate: () => answer('to a running node') }),
    executeUpdateWithStart: (_: unknown, { args: [payload] }: { readonly args: readonly [object] }) => {
      if (!('keepsStatusAttribute' in payload)) return answer('with a start');
      if (payload.keepsStatusAttribute === false) return answer('with a start and without the attribute');
      return Date.now() - begin < ms ? Promise.reject(refused()) : answer('with a start and the attribute');
    },
  };
  const workflowsUntil = () => workflows as never;
  const send = createSendGroup({ workflowsUntil, taskQueue: 'nodes', searchAttributes, log });
  return { came, send: (nodeId: string) => send(nodeId, { commands: [] }, performance.now() + 30_000) };
};

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('an attribute that becomes known is waited for', async () => {
  const { came, send } = sendingWhereItIsKnownAfter(2_000);
  const sent = send('node');
  await vi.advanceTimersByTimeAsync(3_000);
  await sent;
  expect(came).toEqual(['with a start and the attribute']);
});

test('an attribute that stays refused is left out after five seconds, then at once', async () => {
  const { came, send } = sendingWhereItIsKnownAfter(Infinity);
  const first = send('node');
  await vi.advanceTimersByTimeAsync(4_900);
  expect(came).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  await first;
  await send('another');
  expect(came).toEqual(['with a start', 'with a start']);
});

test('a node that was started without the attribute is told of it by a call a minute after the last refusal, once', async () => {
  const { came, send } = sendingWhereItIsKnownAfter(20_000);
  for (const waits of [6_000, 60_000, 1_000, 1_000]) {
    const sent = send('node');
    await vi.advanceTimersByTimeAsync(waits);
    await sent;
  }
  expect(came).toEqual(['with a start', 'to a running node', 'with a start and the attribute', 'to a running node']);
});

test('where the settings leave the attribute out, each node is told so once', async () => {
  const { came, send } = sendingWhereItIsKnownAfter(0, false);
  await send('node');
  await send('node');
  expect(came).toEqual(['with a start and without the attribute', 'to a running node']);
});
