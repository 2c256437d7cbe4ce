import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createNodeQueues } from '../../../../api/nodes/node-queue';
import { createAdmissionMetrics } from '../../../../api/admission/queue-metrics';
import type { Outage } from '../../../../api/ports';
import type { GroupAnswer } from '../../../../workflows/domain/node/apply-group';
import type { Command } from '../../../../workflows/domain/node/commands';

const command: Command = { name: 'recalculate', userId: 'tester' };
const unavailable: Outage = { _tag: 'Unavailable', dependency: 'Temporal', retryAfter: 1, mayHaveChanged: false };

const started = (deadlineMs: number) => {
  const registry = new Registry();
  const groups: { readonly size: number; readonly end: (answer: E.Either<Outage, GroupAnswer>) => void }[] = [];
  const { submit } = createNodeQueues({
    sendGroup: (_, commands) =>
      new Promise((resolve) => {
        const end = (answer: E.Either<Outage, GroupAnswer>): void => resolve({ answer, completed: Promise.resolve() });
        groups.push({ size: commands.length, end });
      }),
    deadlineMs,
    waitingCalls: 10,
    canPublish: () => true,
    registry,
    admission: createAdmissionMetrics(registry)('commands'),
  });
  const value = async (name: string): Promise<number | undefined> => {
    const line = (await registry.metrics())
      .split('\n')
      .find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
  const waitingAndUnderWay = async () => [
    await value('point_alarm_waiting_calls'),
    await value('point_alarm_slots_in_flight'),
  ];
  return { groups, call: () => submit('node', command), value, waitingAndUnderWay };
};

const applied = (size: number) =>
  E.right({ outcomes: Array.from({ length: size }, () => ({ _tag: 'Applied', revision: 1 }) as const) });

test('calls wait while a group of their node is in flight, and go together', async () => {
  const { groups, call, value, waitingAndUnderWay } = started(10_000);
  const calls = [call(), call(), call()];
  expect(await waitingAndUnderWay()).toEqual([2, 1]);
  groups[0]?.end(applied(1));
  await expect.poll(waitingAndUnderWay).toEqual([0, 1]);
  groups[1]?.end(E.left(unavailable));
  await Promise.all(calls);
  await expect.poll(waitingAndUnderWay).toEqual([0, 0]);
  expect(await value('point_alarm_group_commands_count')).toBe(2);
  expect(await value('point_alarm_group_commands_sum')).toBe(3);
  expect(await value('point_alarm_groups_given_up_total')).toBe(1);
  expect(await value('point_alarm_group_duration_seconds_count')).toBe(2);
});

test('a call whose deadline passes no longer waits', async () => {
  const { groups, call, waitingAndUnderWay } = started(50);
  await Promise.all([call(), call()]);
  expect(await waitingAndUnderWay()).toEqual([0, 1]);
  groups[0]?.end(applied(1));
  await expect.poll(waitingAndUnderWay).toEqual([0, 0]);
});
