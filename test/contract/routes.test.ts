import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, type Reply } from '../support/api/call';
import { NOBODY, OTHER_POINT, POINT, STRANGER } from '../support/api/callers';
import { expectDocumented, routeOf } from '../support/api/expect-documented';
import { expectProblem } from '../support/api/expect-problem';
import { startApi, type Api } from '../support/api/start-api';

const THRESHOLD = `/v1/point-alarm-threshold/${POINT}`;
const STATUS = `/v1/alarm-status/${POINT}`;
const EXTERNAL = `${STATUS}/status/external`;
const BATCH = '/v1/point-alarm-threshold-batch';

const overall = { unit: 'mm/s', outerHigh: 11.2, innerHigh: 7.1, innerLow: 0, outerLow: 0 };
const threshold = { thresholdType: 2, overall };
const measurement = {
  measurementId: '0d1d5b0c-58b7-4b5b-8a53-6a3c3d0f4c11',
  createdAt: '2026-01-31T10:00:00.000Z',
  contentType: 'DATA_POINT',
  dataPoint: { coordinate: { x: 1, y: 8 }, xUnit: 's', yUnit: 'mm/s' },
};

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(() => {
  api.nodes.forget();
});

const documented = (id: string, reply: Reply): Reply => {
  expectDocumented(routeOf(api.routes, id), reply);
  return reply;
};
const put = (path: string, body?: unknown, headers = {}) => call(api, { method: 'PUT', path, body, headers });
const get = (path: string) => call(api, { method: 'GET', path });
const patch = (body: unknown, headers = {}) => call(api, { method: 'PATCH', path: THRESHOLD, body, headers });

describe('PUT threshold', () => {
  test('sets it, answers 204 without a body, with the revision as ETag', async () => {
    const reply = documented('setThreshold', await put(THRESHOLD, { nodeId: POINT.toUpperCase(), ...threshold }));
    expect(reply.status).toBe(204);
    expect(reply.text).toBe('');
    expect(reply.headers.etag).toBe('"1"');
    expect((await get(THRESHOLD)).json).toEqual({ nodeId: POINT, ...threshold });
  });

  test('shows the band limits under the name of GET', async () => {
    const limits = { unit: 'mm/s', upperAlert: { value: 1, valueType: 1 }, upperDanger: { value: 2, valueType: 1 } };
    await put(THRESHOLD, { bandAlarms: [{ label: '1x', overallThreshold: limits }] });
    expect((await get(THRESHOLD)).json).toEqual({
      nodeId: POINT,
      bandAlarms: [{ label: '1x', overallAlarmThreshold: limits }],
    });
  });

  test('with If-Match of the revision sets it, with another answers 412 and changes nothing', async () => {
    await put(THRESHOLD, threshold);
    expect((await put(THRESHOLD, { thresholdType: 0 }, { 'If-Match': '"7", "1"' })).status).toBe(204);
    const before = api.nodes.snapshot();
    for (const etag of ['"1"', 'W/"2"', '"2x"', 'nothing', '']) {
      const reply = documented('setThreshold', await put(THRESHOLD, threshold, { 'If-Match': etag }));
      expectProblem(reply, { status: 412, type: 'precondition-failed' });
    }
    expect(api.nodes.snapshot()).toBe(before);
    expect((await put(THRESHOLD, threshold, { 'If-Match': ' * ' })).status).toBe(204);
  });

  test('under one Idempotency-Key is applied once; another body under it is a conflict', async () => {
    const headers = { 'Idempotency-Key': 'one-key' };
    expect((await put(THRESHOLD, threshold, headers)).headers.etag).toBe('"1"');
    expect((await put(THRESHOLD, threshold, headers)).headers.etag).toBe('"1"');
    const reply = documented('setThreshold', await put(THRESHOLD, { thresholdType: 0 }, headers));
    expectProblem(reply, { status: 409, type: 'idempotency-conflict', names: ['Idempotency-Key'] });
  });

  test('repeated with its If-Match is answered like the first under its key, and 412 without one', async () => {
    await put(THRESHOLD, threshold);
    const condition = { 'If-Match': '"1"' };
    const keyed = { ...condition, 'Idempotency-Key': 'repeated' };
    expect((await put(THRESHOLD, { thresholdType: 0 }, keyed)).headers.etag).toBe('"2"');
    const again = await put(THRESHOLD, { thresholdType: 0 }, keyed);
    expect([again.status, again.headers.etag]).toEqual([204, '"2"']);
    expect((await put(THRESHOLD, { thresholdType: 0 }, condition)).status).toBe(412);
  });
});

describe('PATCH threshold', () => {
  test('answers 200 with the threshold as it is now, and its revision', async () => {
    await put(THRESHOLD, threshold);
    const operations = [
      { op: 'test', path: '/overall/innerHigh', value: 7.1 },
      { op: 'replace', path: '/overall/innerHigh', value: 6 },
    ];
    const reply = documented('patchThreshold', await patch(operations));
    expect(reply.status).toBe(200);
    expect(reply.headers.etag).toBe('"2"');
    expect(reply.json).toEqual({ nodeId: POINT, ...threshold, overall: { ...overall, innerHigh: 6 } });
    expect((await get(THRESHOLD)).json).toEqual(reply.json);
  });

  test('that changes nothing succeeds and keeps the revision', async () => {
    await put(THRESHOLD, threshold);
    const reply = documented('patchThreshold', await patch([{ op: 'test', path: '/thresholdType', value: 2 }]));
    expect([reply.status, reply.headers.etag]).toEqual([200, '"1"']);
  });

  test('starts from nothing on a node that never got a threshold', async () => {
    const reply = documented('patchThreshold', await patch([{ op: 'replace', path: '/thresholdType', value: 0 }]));
    expect(reply.json).toEqual({ nodeId: POINT, thresholdType: 0 });
  });

  test.each([
    ['a failed test', [{ op: 'test', path: '/thresholdType', value: 1 }], ['0.value']],
    ['a missing path', [{ op: 'remove', path: '/overall/nothing' }], ['0.path']],
    ['an inherited name', [{ op: 'add', path: '/__proto__/x', value: 1 }], ['0.path']],
    ['another node id', [{ op: 'replace', path: '/nodeId', value: OTHER_POINT }], ['nodeId']],
    [
      'a result that is no threshold',
      [{ op: 'replace', path: '/overall/innerHigh', value: 99 }],
      ['overall.outerHigh'],
    ],
    [
      'a good operation before a bad one',
      [
        { op: 'replace', path: '/overall/innerHigh', value: 1 },
        { op: 'remove', path: '/nothing' },
      ],
      ['1.path'],
    ],
  ])('with %s answers 409 and changes nothing', async (_, operations, names) => {
    await put(THRESHOLD, threshold);
    const before = api.nodes.snapshot();
    const reply = documented('patchThreshold', await patch(operations));
    expectProblem(reply, { status: 409, type: 'patch-conflict', names });
    expect(api.nodes.snapshot()).toBe(before);
  });

  test('honours If-Match', async () => {
    const reply = documented('patchThreshold', await patch([], { 'If-Match': '"5"' }));
    expectProblem(reply, { status: 412, type: 'precondition-failed' });
    expect((await patch([], { 'If-Match': '"0"' })).status).toBe(200);
  });
});

describe('GET threshold', () => {
  test('of a node that never got one reads none', async () => {
    const reply = documented('getThreshold', await get(THRESHOLD));
    expect([reply.status, reply.headers.etag, reply.json]).toEqual([200, '"0"', { nodeId: POINT, thresholdType: 0 }]);
  });

  test('takes the node id in either case and answers it in lower case', async () => {
    const id = 'abcdefab-0000-4000-8000-00000000000f';
    expectProblem(await get(`/v1/point-alarm-threshold/${id.toUpperCase()}`), {
      status: 404,
      type: 'resource-not-found',
    });
    expect((await get(THRESHOLD.replace(POINT, POINT.toUpperCase()))).json).toMatchObject({ nodeId: POINT });
  });
});

describe('POST threshold batch', () => {
  const batch = (nodeIDs: unknown, user?: string) =>
    call(api, { method: 'POST', path: BATCH, body: { nodeIDs }, ...(user !== undefined && { user }) });

  test('answers in the order asked for, repeats included', async () => {
    await put(THRESHOLD, threshold);
    const reply = documented('getThresholds', await batch([OTHER_POINT, POINT.toUpperCase(), OTHER_POINT]));
    const other = { nodeId: OTHER_POINT, thresholdType: 0 };
    expect(reply.json).toEqual({ thresholds: [other, { nodeId: POINT, ...threshold }, other] });
  });

  test('of nothing is nothing', async () => {
    expect(documented('getThresholds', await batch([])).json).toEqual({ thresholds: [] });
  });

  test('refuses every id that is none or no measurement point, before permissions', async () => {
    const reply = documented('getThresholds', await batch([POINT, 'x', STRANGER, 7], NOBODY));
    expectProblem(reply, { status: 400, type: 'invalid-request', names: ['nodeIDs.1', 'nodeIDs.2', 'nodeIDs.3'] });
  });
});

describe('GET alarm status', () => {
  test('of a node that was never touched is 0', async () => {
    const reply = documented('getAlarmStatus', await get(STATUS));
    expect(reply.json).toEqual({ nodeId: POINT, status: 0, updatedAt: 0 });
  });

  test('shows the worst of the parts, and the parts', async () => {
    await put(THRESHOLD, threshold);
    await put(EXTERNAL, { status: 3, setBy: OTHER_POINT });
    const reply = documented('getAlarmStatus', await get(STATUS));
    expect(reply.json).toMatchObject({
      nodeId: POINT,
      status: 3,
      overallAlarm: { status: 1 },
      externalAlarm: { status: 3, setBy: OTHER_POINT },
    });
  });
});

describe('PUT alarm status', () => {
  test('rates the measurement in the body', async () => {
    await put(THRESHOLD, threshold);
    const reply = documented('updateAlarmStatus', await put(STATUS, measurement));
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await get(STATUS)).json).toMatchObject({
      status: 4,
      overallAlarm: { status: 4, triggeringMeasurement: measurement.measurementId },
    });
  });

  test.each([
    ['no body at all', {}],
    ['no body of a media type', { 'Content-Type': 'text/plain' }],
    ['a chunked body without bytes', { 'Transfer-Encoding': 'chunked' }],
    ['a JSON body without bytes', { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' }],
  ])('with %s recalculates', async (_, headers) => {
    await put(THRESHOLD, threshold);
    await put(STATUS, measurement);
    const before = (await get(STATUS)).json as { readonly updatedAt: number };
    const reply = documented('updateAlarmStatus', await put(STATUS, undefined, headers));
    expect(reply.status).toBe(204);
    const after = (await get(STATUS)).json as { readonly updatedAt: number };
    expect(after).toEqual({ ...before, updatedAt: after.updatedAt });
    expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
  });

  test.each([['null'], ['{}'], [' ']])('with the body %s answers 400', async (text) => {
    const reply = documented(
      'updateAlarmStatus',
      await put(STATUS, Buffer.from(text), { 'Content-Type': 'application/json' }),
    );
    expectProblem(reply, { status: 400, type: 'invalid-request' });
  });

  test('takes a repeat of the same measurement as done', async () => {
    await put(THRESHOLD, threshold);
    await put(STATUS, measurement);
    const before = api.nodes.snapshot();
    expect((await put(STATUS, measurement)).status).toBe(204);
    expect(api.nodes.snapshot()).toBe(before);
  });
});

describe('PUT external alarm', () => {
  test('with status 0 clears it: the node has the status of its other parts', async () => {
    await put(THRESHOLD, threshold);
    await put(EXTERNAL, { status: 4 });
    expect((await get(STATUS)).json).toMatchObject({ status: 4 });
    await put(EXTERNAL, { status: 0 });
    expect((await get(STATUS)).json).toMatchObject({ status: 1, externalAlarm: { status: 0 } });
  });

  test('sets the external part, and leaves out who set it when nobody says so', async () => {
    expect(documented('setExternalAlarm', await put(EXTERNAL, { status: 2 })).status).toBe(204);
    expect((await get(STATUS)).json).toMatchObject({ status: 2, externalAlarm: { status: 2 } });
    expect((await put(EXTERNAL, { status: 4, setBy: null })).status).toBe(204);
    expect((await get(STATUS)).json).toMatchObject({ status: 4, externalAlarm: { status: 4 } });
  });
});
