import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/api/call';
import { OTHER_POINT, POINT } from '../support/api/callers';
import { expectDocumented, routeOf } from '../support/api/expect-documented';
import { expectProblem } from '../support/api/expect-problem';
import { startApi } from '../support/api/start-api';
import { forFile } from '../support/for-file';

const api = forFile(startApi, ({ close }) => close());
beforeAll(async () => {
  const body = { thresholdType: 2, overall: { innerHigh: 1, outerHigh: 2 } };
  await call(api, { method: 'PUT', path: `/v1/point-alarm-threshold/${POINT}`, body });
});

/** Sends the JSON text to the route and expects 400 with faults of just these names, and nothing changed. */
const refuses = async (id: string, json: unknown, names: ReadonlyArray<string>): Promise<void> => {
  const route = routeOf(api.routes, id);
  const before = api.nodes.snapshot();
  const path = route.path.replace(':nodeId', POINT);
  const body = Buffer.isBuffer(json) ? json : Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
  const reply = await call(api, { method: route.method, path, body });
  expectDocumented(route, reply);
  expectProblem(reply, { status: 400, type: 'invalid-request', names });
  expect(api.nodes.snapshot()).toBe(before);
};

const many = <A>(count: number, item: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => item(index));
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const anyJson: ReadonlyArray<readonly [string, string | Buffer, ReadonlyArray<string>]> = [
  ['no bytes', '', ['']],
  ['half a document', '{"a": ', ['']],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), ['']],
];

describe('any body', () => {
  for (const id of ['setThreshold', 'patchThreshold', 'getThresholds', 'setExternalAlarm']) {
    test.each(anyJson)(`of ${id} is not %s`, (_, json, names) => refuses(id, json, names));
  }
  test.each(anyJson.slice(1))('of updateAlarmStatus is not %s', (_, json, names) =>
    refuses('updateAlarmStatus', json, names),
  );
  test('nests at most 64 levels', () => refuses('setThreshold', deep(65), ['']));
  test('nests at most 64 levels, however deep it is', () => refuses('setThreshold', deep(500_000), ['']));
  test('may begin with a byte order mark', async () => {
    const path = `/v1/alarm-status/${OTHER_POINT}/status/external`;
    expect((await call(api, { method: 'PUT', path, body: Buffer.from('\uFEFF{"status": 2}') })).status).toBe(204);
  });
});

const thresholds: ReadonlyArray<readonly [string, unknown, ReadonlyArray<string>]> = [
  ['a property named twice', '{"halAlarms": [{"label": "a"}, {"label": "b", "label": "c"}]}', ['halAlarms.1.label']],
  ['an infinite limit', '{"thresholdType": 1, "overall": {"innerHigh": 1e999}}', ['overall.innerHigh']],
  [
    'several faults',
    '{"nodeId": "22222222-2222-4222-8222-222222222222", "thresholdType": 9, "x": 1, "x": 2, "fullScale": 1e999}',
    ['nodeId', 'thresholdType', 'x', 'fullScale'],
  ],
];

describe('a threshold', () => {
  test.each(thresholds)('is not one with %s', (_, body, names) => refuses('setThreshold', body, names));

  const putMany = async (...counts: ReadonlyArray<number>) => {
    const objects = counts.map((count) => `{${many(count, (n) => `"${n.toString(36)}":1`).join()}}`);
    const body = Buffer.from(`{"bandAlarms": [${objects.join()}]}`);
    const reply = await call(api, { method: 'PUT', path: `/v1/point-alarm-threshold/${POINT}`, body });
    return expectProblem(reply, { status: 400, type: 'invalid-request' }).reasons;
  };

  test('with 2,000 unknown properties is told the first 1,000', async () => {
    expect(await putMany(1_000, 1_000)).toHaveLength(1_000);
  });

  test('with more than 1,000 in one object is told just that', async () => {
    const reason = 'must have at most 1000 members in an object';
    expect(await putMany(1_001)).toEqual([{ name: '', reason }]);
    expect(await putMany(90_000)).toEqual([{ name: '', reason }]);
  });

  test('takes null on an optional property as absent', async () => {
    const path = `/v1/point-alarm-threshold/${OTHER_POINT}`;
    const body = { thresholdType: 0, overall: null, origin: null, bandAlarms: [{ label: null }] };
    expect((await call(api, { method: 'PUT', path, body })).status).toBe(204);
    expect((await call(api, { method: 'GET', path })).json).toEqual({
      nodeId: OTHER_POINT,
      thresholdType: 0,
      bandAlarms: [{}],
    });
  });
});

test.each([
  ['an infinite value', '[{"op": "replace", "path": "/overall/innerHigh", "value": 1e999}]', ['0.value']],
  ['a value named twice', '[{"op": "test", "path": "/thresholdType", "value": 1, "value": 2}]', ['0.value']],
  ['a value that nests too deep', `[{"op": "test", "path": "/nodeId", "value": ${deep(33)}}]`, ['0.value']],
])('a patch is not one with %s', (_, body, names) => refuses('patchThreshold', body, names));

test.each([
  ['an array', [], ['']],
  ['no nodeIDs', {}, ['nodeIDs']],
  ['nodeIDs by another name', { nodeIds: [] }, ['nodeIds', 'nodeIDs']],
  ['1,001 ids', { nodeIDs: many(1_001, () => POINT) }, ['nodeIDs']],
  ['faults of each kind', { nodeIDs: [POINT, '', null, `{${POINT}}`] }, [1, 2, 3].map((at) => `nodeIDs.${at}`)],
])('a batch is not one with %s', (_, body, names) => refuses('getThresholds', body, names));

const about = { measurementId: POINT, createdAt: '2026-01-31T10:00:00.000Z' };
const dataPoint = { coordinate: { x: 0, y: 1 }, xUnit: 's', yUnit: 'g' };
const point = (more: object) => ({ ...about, contentType: 'DATA_POINT', dataPoint, ...more });

const tagged = (x: string): string => JSON.stringify(point({ tags: { x: 0 } })).replace('{"x":0}}', `{"x":${x}}}`);
test.each([
  ['an infinite y', JSON.stringify(point({})).replace('"y":1', '"y":-1e999'), ['dataPoint.coordinate.y']],
  ['tags that nest too deep', tagged(deep(33)), ['tags']],
  ['an infinite tag', tagged('[1e999]'), ['tags.x.0']],
])('a measurement is not one with %s', (_, body, names) => refuses('updateAlarmStatus', body, names));

test.each([
  ['no status', {}, ['status']],
  ['a status of 5', { status: 5 }, ['status']],
  ['a setter who is no UUID', { status: 2, setBy: 'me' }, ['setBy']],
  ['a node id', { status: 2, nodeId: POINT }, ['nodeId']],
])('an external alarm is not one with %s', (_, body, names) => refuses('setExternalAlarm', body, names));

test.each([[''], ['two words'], ['x'.repeat(129)], ['caf\u00e9']])('an Idempotency-Key is not %j', async (key) => {
  const path = `/v1/alarm-status/${POINT}`;
  const reply = await call(api, { method: 'PUT', path, headers: { 'Idempotency-Key': key } });
  expectProblem(reply, { status: 400, type: 'invalid-request', names: ['Idempotency-Key'] });
  expect((await call(api, { method: 'GET', path, headers: { 'Idempotency-Key': key } })).status).toBe(200);
});
