import { beforeEach, describe, expect, test } from 'vitest';
import { call, type Reply } from '../support/api/call';
import { NOBODY, OTHER_POINT, OWNER, POINT, STRANGER } from '../support/api/callers';
import { expectDocumented, routeOf } from '../support/api/expect-documented';
import { expectProblem } from '../support/api/expect-problem';
import { startApi } from '../support/api/start-api';
import { dataPoint } from '../support/measurements';
import { forFile } from '../support/for-file';

const THRESHOLD = `/v1/point-alarm-threshold/${POINT}`;
const STATUS = `/v1/alarm-status/${POINT}`;
const EXTERNAL = `${STATUS}/status/external`;
const BATCH = '/v1/point-alarm-threshold-batch';

const overall = { unit: 'mm/s', outerHigh: 11.2, innerHigh: 7.1, innerLow: 0, outerLow: 0 };
const threshold = { thresholdType: 2, overall };
const measurement = dataPoint(8);

const api = forFile(startApi, ({ close }) => close());
beforeEach(() => api.nodes.forget());

const documented = (id: string, reply: Reply): Reply => {
  expectDocumented(routeOf(api.routes, id), reply);
  return reply;
};
const put = (path: string, body?: unknown, headers = {}) => call(api, { method: 'PUT', path, body, headers });
const get = (path: string, headers = {}) => call(api, { method: 'GET', path, headers });
const patch = (body: unknown, headers = {}) => call(api, { method: 'PATCH', path: THRESHOLD, body, headers });

describe('PUT threshold', () => {
  test('sets it, answers 204 without a body, with the revision as ETag', async () => {
    const reply = documented('setThreshold', await put(THRESHOLD, { nodeId: POINT.toUpperCase(), ...threshold }));
    expect(reply.status).toBe(204);
    expect(reply.text).toBe('');
    expect(reply.headers.etag).toBe('"1"');
    expect((await get(THRESHOLD)).json).toEqual({ nodeId: POINT, ...threshold });
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

  test.each([
    ['If-None-Match: *', { 'If-None-Match': '*' }, 204, 412],
    ['If-None-Match: * in blanks', { 'If-None-Match': '  * ' }, 204, 412],
    ['If-Match: *', { 'If-Match': '*' }, 412, 204],
    ['both', { 'If-Match': '*', 'If-None-Match': '*' }, 412, 412],
    ['If-None-Match of the first revision', { 'If-None-Match': '"1"' }, 204, 412],
    ['a weak one, among others', { 'If-None-Match': '"7", W/"1"' }, 204, 412],
    ['If-None-Match of another', { 'If-None-Match': '"7"' }, 204, 204],
    ['If-None-Match of what it is without a threshold', { 'If-None-Match': '"0"' }, 412, 204],
    ['an If-Match that an If-None-Match excludes', { 'If-Match': '"1"', 'If-None-Match': '"1"' }, 412, 412],
    ['both, of one revision', { 'If-Match': '"1"', 'If-None-Match': '*' }, 412, 412],
    ['both, of what it is without a threshold', { 'If-Match': '"0"', 'If-None-Match': '*' }, 204, 412],
    ['no condition', {}, 204, 204],
  ])('with %s is decided by what was ever set', async (_, headers, first, later) => {
    const attempt = async (status: number) => {
      const before = api.nodes.snapshot();
      expect(documented('setThreshold', await put(THRESHOLD, { thresholdType: 0 }, headers)).status).toBe(status);
      if (status === 412) expect(api.nodes.snapshot()).toBe(before);
    };
    await attempt(first);
    api.nodes.forget();
    await put(THRESHOLD, { thresholdType: 0 });
    await attempt(later);
  });

  test.each(['W/"1"', '"1-gzip"', '"1--gzip"', '"1;br"', '1'])(
    'with %s, as a proxy makes it of an ETag, is 412 with the reason',
    async (etag) => {
      await put(THRESHOLD, threshold);
      const reply = documented('setThreshold', await put(THRESHOLD, threshold, { 'If-Match': etag }));
      const { detail } = expectProblem(reply, { status: 412, type: 'precondition-failed' });
      expect(detail).toContain(`The threshold is at revision 1. If-Match has ${etag}, `);
      expect(detail).toContain('A proxy that compresses answers changes them');
    },
  );

  test('that meets another revision, or that none was ever set, says so and no more', async () => {
    const detailOf = async (headers: object): Promise<string> =>
      expectProblem(await put(THRESHOLD, threshold, headers), { status: 412, type: 'precondition-failed' }).detail;
    expect(await detailOf({ 'If-Match': '*' })).toBe('No threshold was ever set.');
    await put(THRESHOLD, threshold);
    expect(await detailOf({ 'If-Match': '"7"' })).toBe('The threshold is at revision 1.');
    expect(await detailOf({ 'If-None-Match': '*' })).toBe('The threshold is at revision 1.');
    expect((await detailOf({ 'If-Match': `"${'x'.repeat(2_000)}"` })).length).toBeLessThan(400);
  });

  test('under one Idempotency-Key is applied once; another body under it is a conflict', async () => {
    const headers = { 'Idempotency-Key': 'one-key' };
    expect((await put(THRESHOLD, threshold, headers)).headers.etag).toBe('"1"');
    expect((await put(THRESHOLD, threshold, headers)).headers.etag).toBe('"1"');
    const reply = documented('setThreshold', await put(THRESHOLD, { thresholdType: 0 }, headers));
    expectProblem(reply, { status: 409, type: 'idempotency-conflict', names: ['Idempotency-Key'] });
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
    ['another node id', [{ op: 'replace', path: '/nodeId', value: OTHER_POINT }], ['nodeId']],
    ['no threshold as its result', [{ op: 'replace', path: '/overall/innerHigh', value: 99 }], ['overall.outerHigh']],
  ])('with %s answers 409 and changes nothing', async (_, operations, names) => {
    await put(THRESHOLD, threshold);
    const before = api.nodes.snapshot();
    const reply = documented('patchThreshold', await patch(operations));
    expectProblem(reply, { status: 409, type: 'patch-conflict', names });
    expect(api.nodes.snapshot()).toBe(before);
  });

  test('repeated under its key shows the threshold as it is now, with the ETag of that', async () => {
    await put(THRESHOLD, threshold);
    const key = { 'Idempotency-Key': 'repeated' };
    const lower = [{ op: 'replace', path: '/overall/innerHigh', value: 6 }];
    expect((await patch(lower, key)).headers.etag).toBe('"2"');
    await put(THRESHOLD, threshold);
    const again = await patch(lower, key);
    expect([again.status, again.headers.etag, again.json]).toEqual([200, '"3"', { nodeId: POINT, ...threshold }]);
  });

  test('honours If-None-Match', async () => {
    const fullScale = [{ op: 'add', path: '/fullScale', value: 1 }];
    expect((await patch(fullScale, { 'If-None-Match': '*' })).status).toBe(200);
    const reply = documented('patchThreshold', await patch(fullScale, { 'If-None-Match': '*' }));
    expectProblem(reply, { status: 412, type: 'precondition-failed' });
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

  test.each([
    ['"1"', 304],
    ['W/"1"', 304],
    ['"7", "1"', 304],
    ['*', 304],
    ['"0"', 200],
    ['"1-gzip"', 200],
    ['', 200],
  ])('with If-None-Match: %s answers %i', async (etag, status) => {
    await put(THRESHOLD, threshold);
    const reply = documented('getThreshold', await get(THRESHOLD, { 'If-None-Match': etag }));
    expect([reply.status, reply.headers.etag]).toEqual([status, '"1"']);
    if (status === 304) expect([reply.text, reply.headers['content-length']]).toEqual(['', undefined]);
    expect((await get(THRESHOLD, { 'If-Match': '"7"' })).status).toBe(200);
  });

  test('with If-None-Match: * is answered where none was ever set', async () => {
    expect((await get(THRESHOLD, { 'If-None-Match': '*' })).status).toBe(200);
    expect((await get(THRESHOLD, { 'If-None-Match': '"0"' })).status).toBe(304);
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

  test('refuses every id that is none or no measurement point, before the permissions of the nodes', async () => {
    const reply = documented('getThresholds', await batch([OTHER_POINT, 'x', STRANGER, 7], OWNER));
    expectProblem(reply, { status: 400, type: 'invalid-request', names: ['nodeIDs.1', 'nodeIDs.2', 'nodeIDs.3'] });
  });

  test.each([
    ['ids', { nodeIDs: [POINT, 'x', STRANGER, 7] }],
    ['members', { nodeIDs: [POINT], others: [] }],
  ])('tells nothing of its %s to those who may read no batch', async (_, body) => {
    const reply = documented('getThresholds', await call(api, { method: 'POST', path: BATCH, body, user: NOBODY }));
    const { violations } = expectProblem(reply, { status: 403, type: 'unauthorized-resource' });
    expect(violations).toEqual([{ action: routeOf(api.routes, 'getThresholds').action, resource: '*' }]);
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
    expect(documented('updateAlarmStatus', await put(STATUS, undefined, headers)).status).toBe(204);
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
});

test('PUT external alarm sets the external part, and leaves out who set it when nobody says so', async () => {
  expect(documented('setExternalAlarm', await put(EXTERNAL, { status: 2 })).status).toBe(204);
  expect((await get(STATUS)).json).toMatchObject({ status: 2, externalAlarm: { status: 2 } });
  expect((await put(EXTERNAL, { status: 4, setBy: null })).status).toBe(204);
  expect((await get(STATUS)).json).toMatchObject({ status: 4, externalAlarm: { status: 4 } });
});
