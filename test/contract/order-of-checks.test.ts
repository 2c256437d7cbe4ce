import { describe, expect, test } from 'vitest';
import type { Route } from '../../api/contract/route';
import { call, type Reply } from '../support/api/call';
import { MACHINE, NOBODY, OTHER_POINT, OWNER, POINT, STRANGER } from '../support/api/callers';
import { expectDocumented, routeOf } from '../support/api/expect-documented';
import { expectProblem } from '../support/api/expect-problem';
import { startApi } from '../support/api/start-api';
import { forFile } from '../support/for-file';

const api = forFile(startApi, ({ close }) => close());

const ids = [
  'setThreshold',
  'patchThreshold',
  'getThreshold',
  'getThresholds',
  'getAlarmStatus',
  'updateAlarmStatus',
  'setExternalAlarm',
];
const onOneNode = ids.filter((id) => id !== 'getThresholds');
const withBody = ids
  .filter((id) => !id.startsWith('getThreshold') || id === 'getThresholds')
  .filter((id) => id !== 'getAlarmStatus');

const route = (id: string): Route => routeOf(api.routes, id);

interface Wrong {
  readonly node?: string;
  readonly user?: string | null;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call of the route `id` that is right, but for what is given. */
const callOf = async (id: string, { node = POINT, user, body, headers }: Wrong): Promise<Reply> => {
  const { method, path, body: form } = route(id);
  const example = form === undefined ? undefined : Object.values(form.examples)[0];
  const right = id === 'getThresholds' ? { nodeIDs: [node] } : example;
  const reply = await call(api, {
    method,
    path: path.replace(':nodeId', node),
    body: body ?? right,
    headers: { ...(form !== undefined && { 'Content-Type': form.mediaType }), ...headers },
    ...(user !== undefined && { user }),
  });
  expectDocumented(route(id), reply);
  return reply;
};

const garbage = Buffer.from('{"thresholdType": ');
const unauthorized = { status: 403, type: 'unauthorized-resource' };

describe('every route', () => {
  test('is tested here', () => expect(api.routes.map(({ id }) => id)).toEqual(ids));

  test.each(ids)('%s asks for a token first of all', async (id) => {
    const reply = await callOf(id, { user: null, node: 'no-uuid', headers: { 'Content-Type': 'text/plain' } });
    expectProblem(reply, { status: 401, type: 'missing-authentication-token' });
    expect(reply.headers['www-authenticate']).toBe('Bearer');
  });
});

describe('a route on one node', () => {
  test.each(onOneNode)('%s checks its parameters before permissions', async (id) => {
    for (const node of ['no-uuid', '%E0%A4%A', `${POINT}%2F`, '%00', POINT.slice(1), '{nodeId}']) {
      const reply = await callOf(id, { node, user: NOBODY });
      expectProblem(reply, { status: 400, type: 'invalid-request', names: ['nodeId'] });
    }
  });

  test.each(onOneNode)('%s checks permissions before the node and the body', async (id) => {
    const reply = await callOf(id, { node: STRANGER, user: NOBODY, body: garbage });
    const problem = expectProblem(reply, unauthorized);
    expect(problem.userId).toBe(NOBODY);
    expect(problem.violations).toEqual([{ action: route(id).action, resource: STRANGER }]);
  });

  test.each(onOneNode)('%s checks the node before the body', async (id) => {
    expectProblem(await callOf(id, { node: STRANGER, body: garbage }), { status: 404, type: 'resource-not-found' });
    const machine = await callOf(id, { node: MACHINE, body: garbage });
    expectProblem(machine, { status: 400, type: 'invalid-request', names: ['nodeId'] });
  });

  test('names the faults of path and head together', async () => {
    const headers = {
      'Idempotency-Key': 'two words',
      'If-Match': Array.from({ length: 17 }, (_, n) => `"${n}"`).join(),
      'If-None-Match': Array.from({ length: 17 }, (_, n) => `W/"${n}"`).join(),
    };
    const names = ['nodeId', 'Idempotency-Key', 'If-Match', 'If-None-Match'];
    const reply = await callOf('setThreshold', { node: 'x', headers });
    expectProblem(reply, { status: 400, type: 'invalid-request', names });
  });
});

describe('a route with a body', () => {
  test('is tested here', () => {
    expect(withBody).toEqual(api.routes.filter(({ body }) => body !== undefined).map(({ id }) => id));
  });

  test.each(withBody)('%s checks the media type before the bytes', async (id) => {
    for (const headers of [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/jsonx' },
      { 'Content-Type': route(id).body?.mediaType ?? '', 'Content-Encoding': 'gzip' },
    ]) {
      const reply = await callOf(id, { headers, body: Buffer.alloc(2_200_000, ' ') });
      expectProblem(reply, { status: 415, type: 'unsupported-media-type' });
    }
  });

  test.each(withBody)('%s bounds the body, announced or chunked', async (id) => {
    const body = Buffer.alloc((route(id).body?.mostBytes ?? 0) + 1, ' ');
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      expectProblem(await callOf(id, { body, headers }), { status: 413, type: 'payload-too-large' });
    }
  });

  test.each(withBody)('%s passes over the parameters and the case of its media type', async (id) => {
    const headers = { 'Content-Type': `${(route(id).body?.mediaType ?? '').toUpperCase()} ; Charset="UTF-8"` };
    expect((await callOf(id, { headers })).status).not.toBe(415);
  });
});

describe('the batch', () => {
  test('names every permission that is lacking, the one of the batch for *', async () => {
    const body = Buffer.from(JSON.stringify({ nodeIDs: [POINT, OTHER_POINT, POINT] }));
    const violationsOf = async (user: string) =>
      expectProblem(await callOf('getThresholds', { user, body }), unauthorized).violations;
    const each = 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD';
    expect(await violationsOf(NOBODY)).toEqual([
      { action: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD_BATCH', resource: '*' },
      { action: each, resource: POINT },
      { action: each, resource: OTHER_POINT },
    ]);
    expect(await violationsOf(OWNER)).toEqual([{ action: each, resource: OTHER_POINT }]);
  });

  test('reads its body before the permissions', async () => {
    const reply = await callOf('getThresholds', { user: NOBODY, body: garbage });
    expectProblem(reply, { status: 400, type: 'invalid-request' });
  });
});
