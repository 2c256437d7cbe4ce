import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { ADMIN } from '../../support/api/callers';
import type { LogRecord } from '../../support/recorded-log';
import { signals, updates, workflowIdOf } from '../../../workflows/messages';
import { eventually } from '../workflows/nodes';
import { startService, type Service } from '../../support/service';

let service: Service;
beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'trace' });
}, 120_000);
afterAll(() => service.stop());

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

/** The records of a process on a node, as soon as there is one that fits. */
const recordsOf = (process: 'api' | 'worker', nodeId: string, fits: (record: LogRecord) => boolean) =>
  eventually(
    async () => service.logged(process).filter(({ workflowId }) => workflowId === workflowIdOf(nodeId)),
    (records) => records.some(fits),
  );
const setExternalAlarm = (nodeId: string, headers: Readonly<Record<string, string>> = {}) =>
  service.call({ method: 'PUT', path: `/v1/alarm-status/${nodeId}/status/external`, body: { status: 3 }, headers });

test("a request's trace is in the API's log and in the worker's", async () => {
  const nodeId = randomUUID();
  await setExternalAlarm(nodeId, { traceparent: `00-${TRACE}-${SPAN}-01`, 'X-Request-Id': `of-${nodeId}` });
  const [inApi] = await recordsOf('api', nodeId, ({ msg }) => msg === 'call');
  const inWorker = (await recordsOf('worker', nodeId, ({ msg }) => msg === 'command')).find(
    ({ msg }) => msg === 'command',
  );
  for (const record of [inApi, inWorker]) {
    expect(record).toMatchObject({ traceId: TRACE, requestId: `of-${nodeId}`, nodeId, userId: ADMIN });
  }
  expect(inApi).toMatchObject({ operation: 'setExternalAlarm', outcome: 'done', status: 204 });
  expect(inWorker).toMatchObject({
    command: 'setExternalAlarm',
    workflowType: 'pointAlarm',
    spanId: inApi?.['spanId'],
  });
});

test('a request without a trace gets one, which both logs know', async () => {
  const nodeId = randomUUID();
  const reply = await setExternalAlarm(nodeId);
  const requestId = reply.headers['x-request-id'];
  const [inApi] = await recordsOf('api', nodeId, ({ msg }) => msg === 'call');
  const records = await recordsOf('worker', nodeId, ({ msg }) => msg === 'command');
  expect(inApi).toMatchObject({ requestId, traceId: expect.stringMatching(/^[0-9a-f]{32}$/u) });
  expect(records.find(({ msg }) => msg === 'command')).toMatchObject({ requestId, traceId: inApi?.['traceId'] });
});

test('each of the calls that went in one group has its own line', async () => {
  const nodeId = randomUUID();
  const requestIds = Array.from({ length: 12 }, (_, index) => `call-${index}-${nodeId.slice(0, 8)}`);
  await Promise.all(requestIds.map((requestId) => setExternalAlarm(nodeId, { 'X-Request-Id': requestId })));
  const told = await eventually(
    async () => service.logged('worker').filter(({ msg, nodeId: of }) => msg === 'command' && of === nodeId),
    ({ length }) => length >= 12,
  );
  expect(told.map(({ requestId }) => requestId).sort()).toEqual([...requestIds].sort());
  const updateIds = new Set(told.map(({ updateId }) => updateId));
  expect(updateIds.size).toBeLessThan(12);
});

test('every event names its call, which the log tells of, its user and its time', async () => {
  const redis = createClient({ url: inject('redisUrl') });
  await redis.connect();
  onTestFinished(() => redis.destroy());
  const nodeId = randomUUID();
  const path = `/v1/point-alarm-threshold/${nodeId}`;
  const headers = (requestId: string) => ({ 'X-Request-Id': `${requestId}-of-${nodeId}` });
  await service.call({
    method: 'PUT',
    path,
    body: { thresholdType: 2, overall: { outerHigh: 9 } },
    headers: headers('put'),
  });
  const patch = [{ op: 'add', path: '/fullScale', value: 2 }];
  await service.call({ method: 'PATCH', path, body: patch, headers: headers('patch') });
  await setExternalAlarm(nodeId, headers('external'));
  const events = await eventually(
    async () =>
      ((await redis.xRange(service.stream, '-', '+')) ?? [])
        .filter(({ message }) => message['aggregateId'] === nodeId)
        .map(({ message }) => JSON.parse(message['data'] ?? '') as Readonly<Record<string, unknown>>),
    ({ length }) => length === 5,
  );
  const calls = ['put', 'put', 'patch', 'patch', 'external'].map((name) => `${name}-of-${nodeId}`);
  expect(events.map(({ requestId }) => requestId)).toEqual(calls);
  for (const { requestId, userId, updatedAt } of events) {
    expect(service.logged('api').filter((record) => record['requestId'] === requestId)).toMatchObject([
      { userId: ADMIN, nodeId, outcome: 'done', time: expect.any(String) },
    ]);
    expect(userId).toBe(ADMIN);
    expect(updatedAt).toEqual(expect.any(Number));
  }
  const { json } = await service.call({ method: 'GET', path });
  expect(json).toEqual({ nodeId, thresholdType: 2, overall: { outerHigh: 9 }, fullScale: 2 });
});

test('a command of another Temporal client is told with what it names', async () => {
  const nodeId = randomUUID();
  await setExternalAlarm(nodeId);
  const handle = service.client.workflow.getHandle(workflowIdOf(nodeId));
  const cause = { requestId: 'by hand', traceparent: `00-${TRACE}-${SPAN}-00` };
  await handle.executeUpdate(updates.setExternalAlarm, { args: [{ userId: 'operator', status: 2, cause }] });
  await handle.executeUpdate(updates.setExternalAlarm, { args: [{ userId: 'operator', status: 3 }] });
  const told = await eventually(
    async () => service.logged('worker').filter(({ userId, nodeId: of }) => userId === 'operator' && of === nodeId),
    ({ length }) => length >= 2,
  );
  expect(told[0]).toMatchObject({ requestId: 'by hand', traceId: TRACE, spanId: SPAN });
  expect(told[1]).not.toHaveProperty('traceId');
});

test('no secret of a body, a token or a signal is logged, at any level', async () => {
  const nodeId = randomUUID();
  const secret = 'geheim-4711';
  const path = `/v1/point-alarm-threshold/${nodeId}`;
  const threshold = { halAlarms: [{ label: secret }] };
  const body = { method: 'PUT', path, body: threshold };
  expect((await service.call(body)).status).toBe(204);
  await service.call({ ...body, headers: { Authorization: `Bearer ${secret}` } });
  await service.call({ ...body, body: { [secret]: secret } });
  await service.call({ ...body, headers: { 'Idempotency-Key': secret, Cookie: secret, traceparent: secret } });
  const operations = [{ op: 'test', path: `/${secret}`, value: secret }];
  await service.call({ method: 'PATCH', path, body: operations });
  const handle = service.client.workflow.getHandle(workflowIdOf(nodeId));
  await handle.signal(signals.setThreshold, { userId: 'u', threshold, [secret]: secret });
  await handle.signal(signals.patchThreshold, { userId: 'u', operations });
  await handle.signal(signals.setThreshold, secret);
  await eventually(
    async () => service.logged('worker').filter(({ msg }) => msg === 'a signal was refused').length,
    (count) => count === 3,
  );
  expect(service.logged('api').filter(({ nodeId: of, msg }) => msg === 'call' && of === nodeId)).toHaveLength(4);
  for (const process of ['api', 'worker'] as const) {
    expect(service.said(process)).not.toContain(secret);
    expect(service.said(process)).not.toMatch(/eyJ[\w-]{10}/u);
  }
});
