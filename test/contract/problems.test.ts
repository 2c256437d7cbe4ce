import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { describe, expect, test } from 'vitest';
import type { PointAlarms } from '../../api/ports';
import { catalogue, type ProblemType, problemTypes, ProblemView } from '../../api/contract/problems/catalogue';
import { problem, problemBody, problemExample } from '../../api/contract/problems/problem';
import { projectRoot } from '../../dev/stack/project-root';
import { call, type Call, type Reply } from '../support/api/call';
import { NOBODY, POINT, STRANGER } from '../support/api/callers';
import { expectProblem } from '../support/api/expect-problem';
import { raw, replyIn } from '../support/api/raw';
import { apiOfTest, startApi } from '../support/api/start-api';
import { forFile } from '../support/for-file';

const api = forFile(startApi, ({ close }) => close());

const THRESHOLD = `/v1/point-alarm-threshold/${POINT}`;
const STATUS = `/v1/alarm-status/${POINT}`;
const overall = { unit: 'mm/s', outerHigh: 11.2, innerHigh: 7.1, innerLow: 0, outerLow: 0 };
const threshold = { method: 'PUT', path: THRESHOLD, body: { thresholdType: 2, overall } };
const external = { method: 'PUT', path: `${STATUS}/status/external` };

const to = (request: Call) => (): Promise<Reply> => call(api, request);
const bytes = (text: string) => async (): Promise<Reply> => replyIn(await raw(api, text));

/** The answer to `request` of an API whose nodes are these. */
const ofNodes = (request: Call, pointAlarms: Partial<PointAlarms>) => async (): Promise<Reply> => {
  const other = await apiOfTest({ ports: { pointAlarms: { ...api.nodes.port, ...pointAlarms } } });
  return call(other, request);
};
const sending = (request: Call, fails: ReturnType<PointAlarms['send']>) => ofNodes(request, { send: () => fails });

/** A request that is answered as the example of its type says. The type of this table wants one for each. */
const requests: Readonly<Record<ProblemType, () => Promise<Reply>>> = {
  'invalid-request': to({ ...external, body: { status: 7, colour: 'red' } }),
  'missing-authentication-token': to({ ...threshold, user: null }),
  'invalid-authentication-token': async () => {
    const token = await api.callers.token(NOBODY, '-1h');
    return call(api, { method: 'GET', path: THRESHOLD, user: null, headers: { Authorization: token } });
  },
  'unauthorized-resource': to({ ...threshold, user: NOBODY }),
  'resource-not-found': to({ method: 'GET', path: THRESHOLD.replace(POINT, STRANGER) }),
  'patch-conflict': async () => {
    await call(api, threshold);
    const body = [{ op: 'test', path: '/overall/innerHigh', value: 1 }];
    return call(api, { method: 'PATCH', path: THRESHOLD, body });
  },
  'idempotency-conflict': async () => {
    const headers = { 'Idempotency-Key': 'problems' };
    await call(api, { ...threshold, headers });
    return call(api, { ...threshold, headers, body: {} });
  },
  'precondition-failed': async () => {
    api.nodes.forget();
    for (const _ of [1, 2, 3, 4]) await call(api, threshold);
    return call(api, { ...threshold, headers: { 'If-Match': '"1"' } });
  },
  'payload-too-large': to({ method: 'PUT', path: STATUS, body: Buffer.alloc(2_097_153, ' ') }),
  'unsupported-media-type': to({
    method: 'PATCH',
    path: THRESHOLD,
    body: [],
    headers: { 'Content-Type': 'application/json' },
  }),
  'too-many-requests': sending({ method: 'PUT', path: STATUS }, TE.left({ _tag: 'QueueFull', retryAfter: 1 })),
  'internal-server-error': ofNodes(
    { method: 'GET', path: STATUS },
    { alarmStatus: () => () => Promise.reject(new Error('secret')) },
  ),
  unavailable: sending(
    { method: 'PUT', path: STATUS },
    TE.left({ _tag: 'Unavailable', dependency: 'Temporal', retryAfter: 1, mayHaveChanged: false }),
  ),
  timeout: sending({ method: 'PUT', path: STATUS }, TE.left({ _tag: 'TimedOut' })),
  'route-not-found': to({ method: 'GET', path: '/v1/alarm-status/' }),
  'request-method-not-allowed': to({ method: 'GET', path: '/v1/point-alarm-threshold-batch' }),
  'request-timeout': bytes('GET / HTTP/1.1\r\nHost: x\r\n'),
  'expectation-failed': bytes('GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n'),
  'request-header-fields-too-large': bytes(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  'http-version-not-supported': bytes('GET /healthz HTTP/2.0\r\nHost: x\r\nConnection: close\r\n\r\n'),
};

/** What differs between any two calls, made the same. */
const comparable = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body)
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, '<id>')
      .replaceAll(/"requestId":"[^"]+"/gu, '"requestId":"<name>"'),
  );

test.each(problemTypes)(
  'a problem of the type %s is what the catalogue shows, and carries what it says',
  async (type) => {
    const reply = await requests[type]();
    const { status, headers = [], members = {} } = catalogue[type];
    expectProblem(reply, { status, type });
    expect(comparable(reply.json)).toEqual(comparable(problemExample(type)));
    for (const name of headers) expect(reply.headers).toHaveProperty(name.toLowerCase());
    const standard = ['type', 'title', 'status', 'detail', 'instance', 'requestId'];
    const more = Object.keys(reply.json as object).filter((name) => !standard.includes(name));
    expect(Object.keys(members)).toEqual(expect.arrayContaining(more));
  },
);

test('a problem names the address that was asked for, or as much of it as an answer may tell', () => {
  const body = problemBody(problem('route-not-found', 'Nothing is here.'), `/${'"'.repeat(20_000)}`, 'id');
  expect(body['instance']).toMatch(/^\/(?:%22)+$/u);
  expect(ProblemView.decode(body)).toSatisfy(E.isRight);
});

describe('the address of a type', () => {
  const about = (type: string) => call(api, { method: 'GET', path: `/problems/${type}`, user: null });

  test.each(problemTypes)('%s is its section of docs/errors.md', async (type) => {
    const reply = await about(type);
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(reply.text).toMatch(new RegExp(`^## ${type}\n`, 'u'));
    expect(`${readFileSync(join(projectRoot, 'docs/errors.md'), 'utf8')}\n## `).toContain(`\n${reply.text}\n## `);
  });

  test.each(['nothing', '__proto__', 'constructor', 'Timeout', 'timeout%00', '%3Cscript%3E'])(
    'that is none, %s, leads nowhere',
    async (type) => {
      expectProblem(await about(type), { status: 404, type: 'route-not-found' });
    },
  );
});
