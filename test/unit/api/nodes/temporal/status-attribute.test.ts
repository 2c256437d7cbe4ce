import { ServiceError } from '@temporalio/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSendGroup, patientAttribute } from '../../../../../api/nodes/temporal/send-group';
import { createLog } from '../../../../../process/log';

const log = createLog({ level: 'silent', process: 'test' });

const refused = (): Error => {
  const details = 'Namespace default has no mapping defined for search attribute PointAlarmStatus';
  const cause = Object.assign(new Error(`3 INVALID_ARGUMENT: ${details}`), { code: 3, details, metadata: {} });
  return new ServiceError('failed', { cause });
};

/** A cluster that takes the attribute from this time on (ms from the beginning), and every start without it. */
const clusterThatKnowsItAfter = (ms: number) => {
  const begin = Date.now();
  const starts: boolean[] = [];
  const start = (withAttribute: boolean): Promise<string> => {
    starts.push(withAttribute);
    return withAttribute && Date.now() - begin < ms ? Promise.reject(refused()) : Promise.resolve('begun');
  };
  return { start, starts };
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('an attribute that becomes known is waited for', async () => {
  const { start, starts } = clusterThatKnowsItAfter(2_000);
  const answer = patientAttribute({ searchAttributes: true, log }).start(start);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await answer).toBe('begun');
  expect(starts).not.toContain(false);
});

test('an attribute that stays refused is left out after five seconds, then at once', async () => {
  const { start, starts } = clusterThatKnowsItAfter(Infinity);
  const attribute = patientAttribute({ searchAttributes: true, log });
  const first = attribute.start(start);
  await vi.advanceTimersByTimeAsync(4_900);
  expect(starts).not.toContain(false);
  await vi.advanceTimersByTimeAsync(500);
  expect(await first).toBe('begun');
  starts.length = 0;
  expect(await attribute.start(start)).toBe('begun');
  expect(starts).toEqual([true, false]);
});

test('no node that runs is told of an attribute for a minute after it was refused', async () => {
  const { start } = clusterThatKnowsItAfter(20_000);
  const attribute = patientAttribute({ searchAttributes: true, log });
  expect(attribute.isTaken()).toBe(true);
  const first = attribute.start(start);
  await vi.advanceTimersByTimeAsync(6_000);
  await first;
  expect(attribute.isTaken()).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attribute.isTaken()).toBe(true);
});

test('where the settings leave the attribute out, no node is told of it', () => {
  expect(patientAttribute({ searchAttributes: false, log }).isTaken()).toBe(false);
});

test('another failure of a start is the caller’s', async () => {
  const attribute = patientAttribute({ searchAttributes: true, log });
  await expect(attribute.start(() => Promise.reject(new Error('unavailable')))).rejects.toThrow('unavailable');
});

/** Temporal as the sender of groups sees it, and how each group came; starts with the attribute are refused at first (ms). */
const temporalThatKnowsItAfter = (ms: number) => {
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
      return Date.now() - begin < ms ? Promise.reject(refused()) : answer('with a start and the attribute');
    },
  };
  return { came, workflowsUntil: () => workflows as never };
};

test('a node that was started without the attribute is told of it by a call a minute after the last refusal, once', async () => {
  const { came, workflowsUntil } = temporalThatKnowsItAfter(20_000);
  const send = createSendGroup({ workflowsUntil, taskQueue: 'nodes', searchAttributes: true, log });
  for (const waits of [6_000, 60_000, 1_000, 1_000]) {
    const sent = send('node', { commands: [] }, Date.now() + 30_000);
    await vi.advanceTimersByTimeAsync(waits);
    await sent;
  }
  expect(came).toEqual(['with a start', 'to a running node', 'with a start and the attribute', 'to a running node']);
});
