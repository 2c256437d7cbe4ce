import { describe, expect, test } from 'vitest';
import { call } from '../support/api/call';
import { ADMIN, POINT } from '../support/api/callers';
import { apiOfTest, type Api } from '../support/api/start-api';

const callsOf = (api: Api): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  api.logged.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>).filter(({ msg }) => msg === 'call');

const external = { method: 'PUT', path: `/v1/alarm-status/${POINT}/status/external` };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('the log', () => {
  test('has one line a write: who, what, where, by which request, what came of it', async () => {
    const api = await apiOfTest();
    const headers = { 'X-Request-Id': 'one', traceparent: `00-${TRACE}-${SPAN}-01` };
    await call(api, { ...external, headers, body: { status: 3 } });
    expect(callsOf(api)).toHaveLength(1);
    expect(callsOf(api)[0]).toMatchObject({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/u),
      method: 'PUT',
      route: '/v1/alarm-status/:nodeId/status/external',
      operation: 'setExternalAlarm',
      status: 204,
      outcome: 'done',
      requestId: 'one',
      traceId: TRACE,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/u),
      userId: ADMIN,
      nodeId: POINT,
      workflowId: `point-alarm-${POINT}`,
    });
    expect(callsOf(api)[0]?.['spanId']).not.toBe(SPAN);
  });

  test.each<[name: string, path: string, method: string, body: unknown]>([
    ['a PUT', `/v1/alarm-status/${POINT}/status/external`, 'PUT', { status: 3 }],
    ['a PUT without a body', `/v1/alarm-status/${POINT}`, 'PUT', undefined],
    ['a PUT of a threshold', `/v1/point-alarm-threshold/${POINT}`, 'PUT', {}],
    ['a PATCH', `/v1/point-alarm-threshold/${POINT}`, 'PATCH', [{ op: 'add', path: '/fullScale', value: 2 }]],
  ])('says of %s that comes again that it changed nothing', async (_name, path, method, body) => {
    const api = await apiOfTest();
    const again = { method, path, ...(body !== undefined && { body }), headers: { 'Idempotency-Key': 'k' } };
    await call(api, again);
    await call(api, again);
    expect(callsOf(api).map(({ outcome }) => outcome)).toEqual(['done', 'unchanged']);
  });

  test('says by which problem a call was refused', async () => {
    const api = await apiOfTest();
    await call(api, { ...external, body: { status: 9 } });
    await call(api, { ...external, body: { status: 3 }, user: null });
    expect(callsOf(api).map(({ outcome }) => outcome)).toEqual(['invalid-request', 'missing-authentication-token']);
  });
});

describe('a trace', () => {
  const tracesOf = async (...traceparents: ReadonlyArray<string>): Promise<ReadonlyArray<unknown>> => {
    const api = await apiOfTest();
    for (const traceparent of traceparents) {
      await call(api, { ...external, body: { status: 3 }, headers: { traceparent } });
    }
    return callsOf(api).map(({ traceId }) => traceId);
  };

  test('begins with the call where its caller has none, or a malformed one', async () => {
    const traces = await tracesOf(
      '',
      'x',
      `00-${'0'.repeat(32)}-${SPAN}-01`,
      `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    );
    for (const trace of traces) expect(trace).toMatch(/^[0-9a-f]{32}$/u);
    expect(new Set([...traces, TRACE, '0'.repeat(32)]).size).toBe(traces.length + 2);
  });

  test('is not answered: traceparent is a header of requests', async () => {
    const api = await apiOfTest();
    const reply = await call(api, { ...external, body: { status: 3 } });
    expect(Object.keys(reply.headers)).not.toContain('traceparent');
    expect(reply.headers['x-request-id']).toBe(callsOf(api)[0]?.['requestId']);
  });
});

/** A secret that JSON, a header, a path and a token can hold, and as a token's payload spells it. */
const SECRET = 'geheim-4711';
const SECRET_IN_TOKEN = Buffer.from(SECRET).toString('base64url');

test.each<[name: string, headers: Readonly<Record<string, string>>, path: string, body: unknown]>([
  ['as a token', { Authorization: `Bearer ${SECRET}` }, external.path, { status: 3 }],
  ['as a token of another kind', { Authorization: `Basic ${SECRET}` }, external.path, { status: 3 }],
  ['in a token', { Authorization: `Bearer e30.${SECRET_IN_TOKEN}.x` }, external.path, {}],
  ['as a cookie', { Cookie: `session=${SECRET}` }, external.path, { status: 3 }],
  ['in a header', { 'X-Api-Key': SECRET }, external.path, { status: 3 }],
  ['as a request id that is none', { 'X-Request-Id': `${SECRET} ` + 'x'.repeat(80) }, external.path, { status: 3 }],
  ['as a traceparent', { traceparent: SECRET }, external.path, { status: 3 }],
  ['as an idempotency key', { 'Idempotency-Key': SECRET }, external.path, { status: 3 }],
  ['in a query', {}, `${external.path}?token=${SECRET}`, { status: 3 }],
  ['in a path', {}, `/v1/alarm-status/${SECRET}/status/external`, { status: 3 }],
  ['in the path of nothing', {}, `/${SECRET}`, { status: 3 }],
  ['in a body', {}, `/v1/point-alarm-threshold/${POINT}`, { halAlarms: [{ label: SECRET }] }],
  ['in a body that is refused', {}, external.path, { status: SECRET }],
  ['as a property that nobody knows', {}, external.path, { status: 3, [SECRET]: 1 }],
  ['in a body that is no JSON', {}, external.path, Buffer.from(`{"${SECRET}`)],
])('a secret is never logged %s', async (_name, headers, path, body) => {
  const api = await apiOfTest();
  await call(api, { method: 'PUT', path, headers, body });
  expect(callsOf(api)).toHaveLength(1);
  for (const kept of [SECRET, SECRET_IN_TOKEN]) expect(api.logged.join('\n')).not.toContain(kept);
});
