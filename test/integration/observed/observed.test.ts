import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metrics, type Metric } from '../../../process/metrics';
import { projectRoot } from '../../../dev/stack/project-root';
import { signals, updates, workflowIdOf } from '../../../workflows/messages';
import { meterLabels, nodeCounters } from '../../../workflows/node-counters';
import { ADMIN } from '../../support/api/callers';
import type { LogRecord } from '../../support/recorded-log';
import { sharedRedis } from '../../support/redis/shared-redis';
import { startService, type Service } from '../../support/service';
import { startCedar } from '../api/auth/cedar-process';
import { eventually } from '../workflows/nodes';

/** A family of metrics as a process shows it. */
interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** The names of the labels that its samples bear. */
  readonly labels: ReadonlyArray<string>;
}

/** The families in Prometheus' text format, by name. */
const familiesIn = (text: string): ReadonlyMap<string, Family> => {
  const lines = text.split('\n');
  const types = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)/u.exec(line) ?? [];
    return name === undefined || type === undefined ? [] : [{ name, type }];
  });
  return new Map(
    types.map(({ name, type }) => {
      const help = lines.find((line) => line.startsWith(`# HELP ${name} `))?.slice(`# HELP ${name} `.length) ?? '';
      const labels = new Set(lines.filter((line) => isSampleOf(line, name, type)).flatMap(labelsIn));
      return [name, { name, type, help, labels: [...labels].filter((label) => !own.has(label)).sort() }];
    }),
  );
};

/** The label of histograms, and those that every metric of a process, or of the SDK, bears. */
const own = new Set(['le', 'process', 'service_name']);

const isSampleOf = (line: string, name: string, type: string): boolean =>
  line.startsWith(`${name}{`) || (type === 'histogram' && line.startsWith(`${name}_bucket{`));

const labelsIn = (sample: string): ReadonlyArray<string> =>
  [...sample.matchAll(/[{,]([a-zA-Z_]\w*)="/gu)].map(([, label = '']) => label);

const PREFIX = 'Acme.Plant-7';
const redis = sharedRedis();
let cedar: Awaited<ReturnType<typeof startCedar>>;
/** A service that tells all it can, asks a policy decision point, and keeps only two nodes in memory. */
let service: Service;
beforeAll(async () => {
  cedar = await startCedar({ nodes: [] });
  await cedar.grant([{ user: '*', actions: ['*'], node: '*' }]);
  service = await startService({
    ...{ LOG_LEVEL: 'trace', EVENT_ATTRIBUTE_PREFIX: PREFIX, AUTHORIZER_URL: cedar.url },
    ...{ MAX_CACHED_WORKFLOWS: '2', MAX_CONCURRENT_WORKFLOW_TASKS: '2' },
  });
}, 120_000);
afterAll(() => Promise.all([service.stop(), cedar.remove()]));

/** The entries of the stream, of one node or of all. */
const entriesOf = async (nodeId?: string): Promise<ReadonlyArray<Readonly<Record<string, string>>>> =>
  ((await redis.xRange(service.stream, '-', '+')) ?? [])
    .map(({ message }) => ({ ...message }))
    .filter(({ aggregateId }) => nodeId === undefined || aggregateId === nodeId);

const entriesOnce = (nodeId: string, count: number) =>
  eventually(
    () => entriesOf(nodeId),
    ({ length }) => length === count,
  );

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

test('each of the calls that went in one group has its own line', async () => {
  const nodeId = randomUUID();
  const requestIds = Array.from({ length: 12 }, (_, index) => `call-${index}-${nodeId.slice(0, 8)}`);
  await Promise.all(requestIds.map((requestId) => setExternalAlarm(nodeId, { 'X-Request-Id': requestId })));
  const lines = await eventually(
    async () => service.logged('worker').filter(({ msg, nodeId: of }) => msg === 'command' && of === nodeId),
    ({ length }) => length >= 12,
  );
  expect(lines.map(({ requestId }) => requestId).sort()).toEqual([...requestIds].sort());
  const updateIds = new Set(lines.map(({ updateId }) => updateId));
  expect(updateIds.size).toBeLessThan(12);
});

test('every event names its call, which the log tells of, its user and its time', async () => {
  const nodeId = randomUUID();
  const path = `/v1/point-alarm-threshold/${nodeId}`;
  const headers = (requestId: string) => ({ 'X-Request-Id': `${requestId}-of-${nodeId}` });
  const threshold = { thresholdType: 2, overall: { outerHigh: 9 } };
  await service.call({
    method: 'PUT',
    path: path.replace(nodeId, nodeId.toUpperCase()),
    body: threshold,
    headers: headers('put'),
  });
  const patch = [{ op: 'add', path: '/fullScale', value: 2 }];
  await service.call({ method: 'PATCH', path, body: patch, headers: headers('patch') });
  await setExternalAlarm(nodeId, headers('external'));
  const entries = await entriesOnce(nodeId, 5);
  const events = entries.map(({ data = '' }) => JSON.parse(data) as Readonly<Record<string, unknown>>);
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
  expect(json).toEqual({ nodeId, ...threshold, fullScale: 2 });
});

test('each entry names its type and its node by the prefix that is set, whoever appended it', async () => {
  const nodeId = randomUUID();
  await setExternalAlarm(nodeId); // published by the API
  await entriesOnce(nodeId, 1);
  await service.client.workflow
    .getHandle(workflowIdOf(nodeId))
    .signal(signals.setExternalAlarm, { userId: 'operator', status: 4 }); // by the worker
  const entries = await entriesOnce(nodeId, 2);
  expect(entries.map(({ userId }) => userId)).toEqual([ADMIN, 'operator']);
  for (const entry of entries) {
    const names = [`${PREFIX}.EventType`, `${PREFIX}.Aggregate`];
    expect(Object.keys(entry).sort()).toEqual(
      [...names, 'aggregateId', 'sequenceId', 'timestamp', 'type', 'data', 'userId'].sort(),
    );
    expect(names.map((name) => entry[name])).toEqual(['PointAlarmStatusEvent', nodeId]);
  }
});

test('a command of another Temporal client is told with what it names', async () => {
  const nodeId = randomUUID();
  await setExternalAlarm(nodeId);
  const handle = service.client.workflow.getHandle(workflowIdOf(nodeId));
  const cause = { requestId: 'by hand', traceparent: `00-${TRACE}-${SPAN}-00` };
  await handle.executeUpdate(updates.setExternalAlarm, { args: [{ userId: 'operator', status: 2, cause }] });
  await handle.executeUpdate(updates.setExternalAlarm, { args: [{ userId: 'operator', status: 3 }] });
  const lines = await eventually(
    async () => service.logged('worker').filter(({ userId, nodeId: of }) => userId === 'operator' && of === nodeId),
    ({ length }) => length >= 2,
  );
  expect(lines[0]).toMatchObject({ requestId: 'by hand', traceId: TRACE, spanId: SPAN });
  expect(lines[1]).not.toHaveProperty('traceId');
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
    for (const one of [secret, (await service.token()).slice(0, 9)]) expect(service.said(process)).not.toContain(one);
  }
});

describe('metrics', () => {
  const shown = async (process: 'api' | 'worker'): Promise<string> =>
    (await fetch(`http://127.0.0.1:${service[process]}/metrics`)).text();

  let api: ReadonlyMap<string, Family>;
  let worker: ReadonlyMap<string, Family>;
  beforeAll(async () => {
    const nodeIds = Array.from({ length: 4 }, () => randomUUID());
    for (const nodeId of [...nodeIds, ...nodeIds]) await measureOddly(nodeId); // a worker keeps two of them
    await service.call({ method: 'GET', path: `/v1/alarm-status/${randomUUID()}`, user: null });
    await sendGarbage(service.api);
    const unknown = { workflowId: `unknown-${randomUUID()}`, taskQueue: service.taskQueue, args: [] };
    const failing = await service.client.workflow.start('unknown', unknown); // its task fails until it is terminated
    const wanted = [
      'temporal_activity_schedule_to_start_latency_seconds',
      'point_alarm_refused_signals_total',
      'temporal_sticky_cache_total_forced_eviction_total',
      'temporal_sticky_cache_miss_total',
      'temporal_workflow_task_execution_failed_total',
    ];
    worker = await eventually(
      async () => familiesIn(await shown('worker')),
      (families) => wanted.every((name) => families.has(name)),
    );
    await failing.terminate();
    // An answer of /metrics is shared for a second: one of before the garbage can be among them.
    api = await eventually(
      async () => familiesIn(await shown('api')),
      (families) => families.get('point_alarm_malformed_requests_total')?.labels.length === 1,
    );
  });

  /** Sets a threshold and sends a measurement in another unit, dated an hour ahead. */
  const measureOddly = async (nodeId: string): Promise<void> => {
    const threshold = { thresholdType: 2, overall: { unit: 'C', innerHigh: 50 } };
    const dataPoint = { coordinate: { x: 0, y: 61.5 }, xUnit: 's', yUnit: 'F' };
    const createdAt = new Date(Date.now() + 3_600_000);
    const measurement = { measurementId: randomUUID(), createdAt, contentType: 'DATA_POINT', dataPoint };
    await service.call({ method: 'PUT', path: `/v1/point-alarm-threshold/${nodeId}`, body: threshold });
    await service.call({ method: 'PUT', path: `/v1/alarm-status/${nodeId}`, body: measurement });
  };

  const sendGarbage = async (port: number): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    socket.end('no HTTP at all\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
  };

  /** The metrics of our own that a process has to show, by name. */
  const expected = (process: 'API' | 'worker'): ReadonlyMap<string, Family> => {
    const rows = Object.entries<Metric>(metrics).filter(([, row]) => row.in === process || row.in === 'both');
    const ofNodes = Object.values(nodeCounters).map(({ name, labels, help }) => ({
      name: `${name}_total`,
      labels: [...labels, ...meterLabels],
      help,
    }));
    return new Map(
      [
        ...rows.map(([name, { type, help, labels = [] }]) => ({ name, type, help, labels })),
        ...(process === 'worker' ? ofNodes.map((one) => ({ ...one, type: 'counter' })) : []),
      ].map((row) => [row.name, { ...row, labels: [...row.labels].sort() }]),
    );
  };
  const ours = (families: ReadonlyMap<string, Family>) =>
    new Map([...families].filter(([name]) => name.startsWith('point_alarm_')));

  test('each process shows the metrics of its rows, with their labels', () => {
    expect(ours(api)).toEqual(expected('API'));
    expect(ours(worker)).toEqual(expected('worker'));
  });

  test("what the document says of Temporal's SDK and of the runtime is what a worker shows", () => {
    const document = readFileSync(join(projectRoot, 'docs/metrics.md'), 'utf8');
    const rows = [...document.matchAll(/^\| `((?:temporal|nodejs|process)_\w+)` \| (\w+) \|/gmu)];
    expect(rows.length).toBeGreaterThan(9);
    for (const [, name = '', type] of rows) expect([name, worker.get(name)?.type]).toEqual([name, type]);
  });

  test('no metric names a node', async () => {
    for (const text of [await shown('api'), await shown('worker')])
      expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?<!observed-.{36})/u);
  });

  test('every event is counted once where it is committed and once where it is published', async () => {
    const sumOf = (text: string, name: string): number =>
      [...text.matchAll(new RegExp(`^point_alarm_events_${name}_total\\{.*\\} (\\d+)$`, 'gmu'))].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    const counted = async () => {
      const [ofApi, ofWorker, { length }] = [await shown('api'), await shown('worker'), await entriesOf()];
      const published = sumOf(ofApi, 'published') + sumOf(ofWorker, 'published');
      return [sumOf(ofWorker, 'committed') - length, published - length];
    };
    await expect.poll(counted, { timeout: 20_000 }).toEqual([0, 0]);
  });
});
