import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRateLimiter } from '../../api/http/rate-limit';
import { call, type Reply } from '../support/api/call';
import { ADMIN, OWNER, POINT } from '../support/api/callers';
import { expectDocumented, routeOf } from '../support/api/expect-documented';
import { expectProblem } from '../support/api/expect-problem';
import { apiOfTest, startApi, type Api } from '../support/api/start-api';

const STATUS = `/v1/alarm-status/${POINT}`;

let api: Api;
let now: number;
beforeEach(async () => {
  now = 0;
  const rateLimiter = createRateLimiter({ perSecond: 2, burst: 5 }, () => now);
  api = await startApi({ ports: { rateLimiter, hierarchy: { kindOf: () => 'measurement_point' } } });
});
afterEach(() => api.close());

const put = (user: string, status = 3): Promise<Reply> =>
  call(api, { method: 'PUT', path: `${STATUS}/status/external`, user, body: { status } });
const get = (user: string): Promise<Reply> => call(api, { method: 'GET', path: STATUS, user });
const batch = (user: string, nodes: number): Promise<Reply> =>
  call(api, {
    method: 'POST',
    path: '/v1/point-alarm-threshold-batch',
    user,
    body: { nodeIDs: Array.from({ length: nodes }, () => randomUUID()) },
  });
const times = async (count: number, one: () => Promise<Reply>): Promise<ReadonlyArray<number>> => {
  const statuses: number[] = [];
  for (let done = 0; done < count; done += 1) statuses.push((await one()).status);
  return statuses;
};
const refused = (reply: Reply): void => void expectProblem(reply, { status: 429, type: 'too-many-requests' });

describe('a greedy user', () => {
  test('gets a burst, then 429 that changes nothing, while another is served', async () => {
    expect(await times(5, () => put(OWNER))).toEqual([204, 204, 204, 204, 204]);
    const before = api.nodes.snapshot();
    for (let more = 0; more < 20; more += 1) refused(await put(OWNER, 4));
    expect(api.nodes.snapshot()).toBe(before);
    expect(await times(5, () => get(ADMIN))).toEqual([200, 200, 200, 200, 200]);
  });

  test('may go on after the time that the answer names, and refused calls are free', async () => {
    await times(5, () => get(OWNER));
    const reply = await get(OWNER);
    refused(reply);
    expectDocumented(routeOf(api.routes, 'getAlarmStatus'), reply);
    expect(reply.headers['retry-after']).toBe('1');
    await times(10, () => get(OWNER));
    now += 1_000;
    expect(await times(3, () => get(OWNER))).toEqual([200, 200, 429]);
  });

  test('is answered before parameters and body are looked at, and after the token', async () => {
    await times(5, () => get(OWNER));
    refused(await call(api, { method: 'PUT', path: '/v1/alarm-status/nonsense', user: OWNER, body: Buffer.from('{') }));
    const reply = await call(api, { method: 'GET', path: STATUS, user: null, headers: { Authorization: 'x' } });
    expectProblem(reply, { status: 401, type: 'invalid-authentication-token' });
    expect(reply.headers).not.toHaveProperty('ratelimit');
  });
});

describe('a batch', () => {
  test('counts as its nodes, and may go into debt', async () => {
    const reply = await batch(ADMIN, 9);
    expect([reply.status, reply.headers['ratelimit']]).toEqual([200, '"user";r=0;t=5']);
    const next = await batch(ADMIN, 1);
    refused(next);
    expect(next.headers['retry-after']).toBe('3');
    now += 2_000;
    refused(await get(ADMIN));
    now += 500;
    expect((await get(ADMIN)).status).toBe(200);
  });

  test('of nothing counts as one call', async () => {
    expect(await times(6, () => batch(ADMIN, 0))).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

test('every answer to a known user tells the limit and what is left', async () => {
  const limitHeaders = ({ headers }: Reply) => [
    headers['ratelimit-policy'],
    headers['ratelimit'],
    headers['retry-after'],
  ];
  expect(limitHeaders(await get(OWNER))).toEqual(['"user";q=5;w=3', '"user";r=4;t=1', undefined]);
  expect(limitHeaders(await put(OWNER))).toEqual(['"user";q=5;w=3', '"user";r=3;t=1', undefined]);
  await times(3, () => get(OWNER));
  expect(limitHeaders(await get(OWNER))).toEqual(['"user";q=5;w=3', '"user";r=0;t=3', '1']);
});

test('without a limit nothing is told', async () => {
  const { headers } = await call(await apiOfTest(), { method: 'GET', path: STATUS });
  expect(headers).not.toHaveProperty('ratelimit');
  expect(headers).not.toHaveProperty('ratelimit-policy');
});

test('users beyond ten thousand push the oldest out, and memory stays bounded', () => {
  const limiter = createRateLimiter({ perSecond: 1, burst: 1 }, () => 0);
  expect(limiter.consume('first').isAllowed).toBe(true);
  expect(limiter.consume('first').isAllowed).toBe(false);
  for (let user = 0; user < 10_000; user += 1) limiter.consume(`user-${user}`);
  expect(limiter.consume('first').isAllowed).toBe(true);
  expect(limiter.consume('user-9999').isAllowed).toBe(false);
});
