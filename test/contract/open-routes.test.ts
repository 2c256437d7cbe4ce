import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { HealthView } from '../../api/http/open-routes';
import { call } from '../support/api/call';
import { POINT } from '../support/api/callers';
import { expectProblem } from '../support/api/expect-problem';
import { apiOfTest, type ApiChanges } from '../support/api/start-api';

const started = async (changes: ApiChanges = {}) => {
  const api = await apiOfTest(changes);
  return { api, get: (path: string) => call(api, { method: 'GET', path, user: null }) };
};

/** What answers is asked again after a second. */
const soon = { timeout: 5_000 };

const answers = (dependency: string, ...said: ReadonlyArray<boolean>) => {
  let asked = 0;
  return { dependency, answers: () => Promise.resolve(said[Math.min(asked++, said.length - 1)] ?? false) };
};

test('health asks nobody and needs no token', async () => {
  const { get } = await started({ checks: [answers('Temporal', false)] });
  const reply = await get('/healthz');
  expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json']);
  expect(HealthView.decode(reply.json)).toSatisfy(E.isRight);
});

describe('readiness', () => {
  test('is there when every dependency answers', async () => {
    const { get } = await started({ checks: [answers('Temporal', true), answers('Redis', true)] });
    expect((await get('/readyz')).status).toBe(200);
  });

  test('names each dependency that does not answer, and comes back by itself', async () => {
    const broken = { dependency: 'Redis', answers: () => Promise.reject(new Error('secret')) };
    const { get } = await started({ checks: [answers('Temporal', false, true), broken] });
    const reply = await get('/readyz');
    expect(expectProblem(reply, { status: 503, type: 'unavailable' }).dependencies).toEqual(['Temporal', 'Redis']);
    expect(reply.headers['retry-after']).toBe('1');
    await expect.poll(async () => (await get('/readyz')).json, soon).toMatchObject({ dependencies: ['Redis'] });
  });

  test('asks nothing of a dependency that is excluded, and refuses to exclude what is none', async () => {
    const { get } = await started({ checks: [answers('Temporal', true, false), answers('Redis', false)] });
    const withoutRedis = async () => (await get('/readyz?exclude=Redis')).json;
    expect((await get('/readyz')).json).toMatchObject({ dependencies: ['Redis'] });
    expect(await withoutRedis()).toMatchObject({ status: 'ok' });
    await expect.poll(withoutRedis, soon).toMatchObject({ dependencies: ['Temporal'] });
    for (const unknown of ['redis', '', 'Redis&exclude=Temporal']) {
      const problem = expectProblem(await get(`/readyz?exclude=${unknown}`), { status: 400, type: 'invalid-request' });
      expect(problem.reasons).toEqual([{ name: 'exclude', reason: 'must be one of Temporal, Redis' }]);
    }
  });

  test('is gone while the process stops', async () => {
    const { api, get } = await started({ checks: [answers('Temporal', true)] });
    api.stopping(true);
    expectProblem(await get('/readyz'), { status: 503, type: 'unavailable' });
    expect((await get('/healthz')).status).toBe(200);
  });
});

test('a crowd at /readyz and /metrics asks each dependency once per second, those in flight together', async () => {
  let asked = 0;
  const slowly = async () => {
    asked += 1;
    await sleep(100);
    return true;
  };
  const { get } = await started({ checks: [{ dependency: 'Redis', answers: slowly }] });
  const began = performance.now();
  for (let round = 0; round < 3; round += 1) {
    const crowd = Array.from({ length: 20 }, (_, index) => get(index % 2 === 0 ? '/readyz' : '/metrics'));
    expect(new Set((await Promise.all(crowd)).map(({ status }) => status))).toEqual(new Set([200]));
  }
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 1_000));
});

test('a dependency that never answers makes the process unready, and does not hold up who asks', async () => {
  const never = { dependency: 'Redis', answers: () => new Promise<boolean>(() => undefined) };
  const { get } = await started({ checks: [never] });
  expect((await get('/readyz')).json).toMatchObject({ dependencies: ['Redis'] });
});

test.each(['/openapi.json', '/docs', '/problems/timeout'])(
  '%s is made once: every answer has the same bytes, and one that is known has none',
  async (path) => {
    const { api, get } = await started();
    const [one, other] = [await get(path), await get(path)];
    expect([one.status, one.text, one.headers.etag]).toEqual([200, other.text, other.headers.etag]);
    expect(one.headers['cache-control']).toBe('no-cache');
    const again = await call(api, { method: 'GET', path, headers: { 'If-None-Match': one.headers.etag }, user: null });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', one.headers.etag]);
  },
);

test('metrics count calls by the template of the route, never by node, and problems by their type', async () => {
  const pointAlarms = { send: defect, threshold: defect, alarmStatus: defect };
  const { api, get } = await started({ ports: { pointAlarms } });
  await call(api, { method: 'GET', path: `/v1/alarm-status/${POINT}` });
  await call(api, { method: 'GET', path: `/nothing/${POINT}` });
  await call(api, { method: 'PROPFIND', path: `/v1/alarm-status/${POINT}` });
  await call(api, { method: 'GET', path: `/v1/alarm-status/${POINT}`, user: null });
  const { headers, text } = await get('/metrics');
  expect(headers['content-type']).toMatch(/^text\/plain/u);
  for (const [method, route, status] of [
    ['GET', '/v1/alarm-status/:nodeId', 500],
    ['GET', '/v1/alarm-status/:nodeId', 401],
    ['any', 'none', 404],
    ['any', 'none', 405],
  ])
    expect(text).toContain(
      `point_alarm_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"} 1`,
    );
  for (const type of ['internal-server-error', 'missing-authentication-token', 'route-not-found'])
    expect(text).toContain(`point_alarm_problems_total{type="${type}"} 1`);
  expect(text).not.toContain(POINT);
});

const defect = (): never => {
  throw new Error('defect');
};

describe('docs', () => {
  test('is a page that loads this origin alone, and has nothing inline', async () => {
    const { get } = await started();
    const reply = await get('/docs');
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(reply.headers['content-security-policy']).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self';/u,
    );
    expect(reply.text).not.toMatch(/https?:|style=|<style|<script>|\son\w+=/u);
  });

  test('has every file that the page names, of its type, once for as long as it stays the same', async () => {
    const { api, get } = await started();
    const named = [...(await get('/docs')).text.matchAll(/"(\/docs\/[^"]+)"/gu)].map(([, path = '']) => path);
    expect(named).toHaveLength(4);
    const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', png: 'image/png' };
    for (const path of named) {
      const { status, headers } = await get(path);
      expect([status, headers['cache-control']], path).toEqual([200, 'no-cache']);
      expect(Object.entries(types)).toContainEqual([path.split('.').at(-1), headers['content-type']]);
      const again = await call(api, { method: 'GET', path, headers: { 'If-None-Match': headers.etag }, user: null });
      expect([again.status, again.text, again.headers.etag], path).toEqual([304, '', headers.etag]);
      const other = await call(api, { method: 'GET', path, headers: { 'If-None-Match': '"other"' }, user: null });
      expect(other.status, path).toBe(200);
    }
  });

  test.each([
    'package.json',
    '__proto__',
    '..%2fpackage.json',
    '%2e%2e%2f%2e%2e%2fpackage.json',
    'swagger-ui.css%00',
    'Swagger-UI.css',
    '',
  ])('has no file %s', async (name) => {
    const { get } = await started();
    expectProblem(await get(`/docs/${name}`), { status: 404, type: 'route-not-found' });
  });
});
