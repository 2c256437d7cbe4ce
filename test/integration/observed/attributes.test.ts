import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { signals, workflowIdOf } from '../../../workflows/messages';
import { ADMIN } from '../../support/api/callers';
import { eventually } from '../workflows/nodes';
import { startService, type Service } from '../../support/service';

const redis = createClient({ url: inject('redisUrl') });
beforeAll(() => redis.connect());
afterAll(() => {
  redis.destroy();
});

let service: Service;
afterEach(() => service.stop());

/** Everything in the entries of a node, once there are `count`. */
const entriesOf = (nodeId: string, count: number): Promise<ReadonlyArray<Readonly<Record<string, string>>>> =>
  eventually(
    async () =>
      ((await redis.xRange(service.stream, '-', '+')) ?? [])
        .map(({ message }) => ({ ...message }))
        .filter(({ aggregateId }) => aggregateId === nodeId),
    ({ length }) => length >= count,
  );

/** Events that a process appended to the stream. */
const publishedBy = async (process: 'api' | 'worker'): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${service[process]}/metrics`)).text();
  const counts = [...text.matchAll(/^point_alarm_events_published_total\{.*\} (\d+)$/gmu)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

const fields = (prefix: string): ReadonlyArray<string> =>
  [
    `${prefix}.EventType`,
    `${prefix}.Aggregate`,
    ...['aggregateId', 'sequenceId', 'timestamp', 'type', 'data', 'userId'],
  ].sort();

test.each([
  ['the default', 'Vendor.Hierarchy', {}],
  ["one's own", 'Acme.Plant-7', { EVENT_ATTRIBUTE_PREFIX: 'Acme.Plant-7' }],
])('with %s prefix, each entry names its type and its node by it, whoever appended it', async (_which, prefix, env) => {
  service = await startService(env);
  const nodeId = randomUUID();
  const threshold = { thresholdType: 2, overall: { unit: 'C', innerHigh: 50 } };
  const path = `/v1/point-alarm-threshold/${nodeId.toUpperCase()}`;
  expect((await service.call({ method: 'PUT', path, body: threshold })).status).toBe(204);
  await entriesOf(nodeId, 2); // by the API
  const handle = service.client.workflow.getHandle(workflowIdOf(nodeId));
  await handle.signal(signals.setThreshold, { userId: 'operator', threshold }); // by the node's activity
  const entries = await entriesOf(nodeId, 4);
  await expect
    .poll(async () => [await publishedBy('api'), await publishedBy('worker')], { timeout: 20_000 })
    .toEqual([2, 2]);
  const types = ['SetPointAlarmThresholdEvent', 'PointAlarmStatusEvent'];
  expect(entries.map((entry) => entry[`${prefix}.EventType`])).toEqual([...types, ...types]);
  for (const entry of entries) {
    expect(Object.keys(entry).sort()).toEqual(fields(prefix));
    expect(entry[`${prefix}.EventType`]).toBe(entry['type']);
    expect(entry[`${prefix}.Aggregate`]).toBe(nodeId);
  }
  expect(entries.map(({ userId }) => userId)).toEqual([ADMIN, ADMIN, 'operator', 'operator']);
});
