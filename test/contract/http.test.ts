import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { gzipSync } from 'node:zlib';
import { call, exchange } from '../support/api/call';
import { ADMIN, POINT } from '../support/api/callers';
import { expectProblem } from '../support/api/expect-problem';
import { raw, replyIn } from '../support/api/raw';
import { startApi } from '../support/api/start-api';
import { forFile } from '../support/for-file';

const THRESHOLD = `/v1/point-alarm-threshold/${POINT}`;
const STATUS = `/v1/alarm-status/${POINT}`;

const api = forFile(startApi, ({ close }) => close());
let token: string;
beforeAll(async () => {
  token = await api.callers.token(ADMIN);
});

const notFound = { status: 404, type: 'route-not-found' };
const malformed = { status: 400, type: 'invalid-request' };

describe('an address', () => {
  test.each([
    ['in another case', THRESHOLD.replace('point', 'Point')],
    ['with a trailing slash', `${THRESHOLD}/`],
    ['with an empty segment', THRESHOLD.replace('/v1', '/v1/')],
    ['with an escaped slash in its fixed part', THRESHOLD.replace('/point', '%2Fpoint')],
    ['with dots', `/v1/./alarm-status/${POINT}`],
    ['of another version', THRESHOLD.replace('v1', 'v2')],
    ['that is the root', '/'],
    ['that is not URI', '/v1/<b>"&\\^`{|}'],
    ['of nothing', '//'],
    ['of the server', '*'],
  ])('%s leads nowhere', async (_, path) => {
    const problem = expectProblem(await call(api, { method: 'GET', path }), notFound);
    expect(problem.instance).toMatch(/^(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-F]{2})*$/u);
  });

  test.each([
    ['have a query, which nobody looks at', `${THRESHOLD}?x=%zz`],
    ['be absolute', `http://somewhere${THRESHOLD}`],
    ['have an escaped node id', `/v1/point-alarm-threshold/%31${POINT.slice(1)}`],
  ])('may %s', async (_, path) => {
    expect((await call(api, { method: 'GET', path })).json).toMatchObject({ nodeId: POINT });
  });
});

describe('a method', () => {
  test.each([
    ['OPTIONS', THRESHOLD, 'GET, HEAD, PATCH, PUT'],
    ['PROPFIND', THRESHOLD, 'GET, HEAD, PATCH, PUT'],
    ['DELETE', THRESHOLD, 'GET, HEAD, PATCH, PUT'],
    ['POST', THRESHOLD, 'GET, HEAD, PATCH, PUT'],
    ['TRACE', STATUS, 'GET, HEAD, PUT'],
    ['GET', `${STATUS}/status/external`, 'PUT'],
    ['HEAD', '/v1/point-alarm-threshold-batch', 'POST'],
    ['PURGE', '/v1/point-alarm-threshold-batch', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s is not allowed at %s, token or none', async (method, path, allow) => {
    const reply = await call(api, { method, path, user: null });
    expect([reply.status, reply.headers.allow]).toEqual([405, allow]);
    if (method !== 'HEAD') expectProblem(reply, { status: 405, type: 'request-method-not-allowed' });
  });

  test('HEAD answers as GET does, without the body', async () => {
    const [head, get] = await Promise.all(['HEAD', 'GET'].map((method) => call(api, { method, path: THRESHOLD })));
    expect([head?.status, head?.text, head?.headers.etag]).toEqual([200, '', '"0"']);
    expect(head?.headers['content-length']).toBe(get?.headers['content-length']);
    expect((await call(api, { method: 'HEAD', path: THRESHOLD, user: null })).status).toBe(401);
  });

  test('CONNECT is no proxy', async () => {
    const reply = replyIn(await raw(api, 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n'));
    expectProblem(reply, { status: 405, type: 'request-method-not-allowed' });
  });
});

describe('the name of a call', () => {
  test('is the one given, when that is a sane one', async () => {
    for (const name of ['a', 'A-b_c.9', 'x'.repeat(64)]) {
      const reply = await call(api, { method: 'GET', path: THRESHOLD, headers: { 'X-Request-Id': name } });
      expect(reply.headers['x-request-id']).toBe(name);
    }
  });

  test.each([[''], ['x'.repeat(65)], ['two words'], ['<script>'], ['caf\u00e9']])(
    'is made anew for %j',
    async (name) => {
      const reply = await call(api, { method: 'GET', path: THRESHOLD, headers: { 'X-Request-Id': name } });
      expect(reply.headers['x-request-id']).toMatch(/^[\w-]{16}$/u);
    },
  );
});

test('every answer but a page is kept by nobody, and taken for what it says it is', async () => {
  for (const path of [THRESHOLD, '/nothing', '/healthz', '/readyz', '/metrics', '/docs/nothing']) {
    const { headers } = await call(api, { method: 'GET', path });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

describe('a body', () => {
  test.each(['gzip', 'deflate', 'br', 'identity, gzip', 'x'])('must not be encoded by %s', async (encoding) => {
    const body = gzipSync('{"status": 2}');
    const headers = { 'Content-Encoding': encoding };
    const reply = await call(api, { method: 'PUT', path: `${STATUS}/status/external`, headers, body });
    expectProblem(reply, { status: 415, type: 'unsupported-media-type' });
  });

  test('of a GET is passed over, and the connection goes on', async () => {
    const one = `GET ${THRESHOLD} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Length: 5\r\n\r\nhello`;
    const received = await raw(api, one, one.replace('Host: x', 'Host: x\r\nConnection: close'));
    expect(received.match(/HTTP\/1\.1 200/gu)).toHaveLength(2);
  });

  test('that is too large leaves the connection usable', async () => {
    const big = 2_200_000;
    const head = `PUT ${THRESHOLD} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\n`;
    const next = `GET ${THRESHOLD} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nConnection: close\r\n\r\n`;
    const announced = await raw(api, `${head}Content-Length: ${big}\r\n\r\n${' '.repeat(big)}${next}`);
    const chunked = await raw(
      api,
      `${head}Transfer-Encoding: chunked\r\n\r\n${big.toString(16)}\r\n${' '.repeat(big)}\r\n0\r\n\r\n${next}`,
    );
    for (const received of [announced, chunked]) {
      expect(received.match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
    }
  });

  test('that its caller leaves half sent is no defect, and changes nothing', async () => {
    const before = api.nodes.snapshot();
    const lines = api.logged.length;
    const socket = connect(api.port, '127.0.0.1');
    socket.write(
      `PUT ${THRESHOLD} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"thres`,
    );
    await sleep(100);
    socket.destroy();
    await vi.waitFor(() => expect(api.logged.slice(lines).join('')).toMatch(/"status":400/u));
    expect(api.logged.slice(lines).join('')).not.toMatch(/defect/u);
    expect(api.nodes.snapshot()).toBe(before);
    expect((await call(api, { method: 'GET', path: THRESHOLD })).status).toBe(200);
  });

  test('may be announced by Expect: 100-continue', async () => {
    const received = await raw(
      api,
      `PUT ${STATUS}/status/external HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 13\r\n\r\n{"status": 2}`,
    );
    expect(received.match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 204']);
  });
});

describe('malformed HTTP', () => {
  const head = `GET ${THRESHOLD} HTTP/1.1\r\nHost: x\r\n`;

  test('after a good request leaves that its answer', async () => {
    const received = await raw(
      api,
      `GET ${THRESHOLD} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\nhello\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 200/u);
  });

  test.each([
    ['no Host', 'Host', `GET ${THRESHOLD} HTTP/1.1\r\n`],
    ['two Hosts', 'Host', `${head}Host: x\r\n`],
    ['two media types', 'Content-Type', `${head}Content-Type: application/json\r\nContent-Type: text/plain\r\n`],
  ])('with %s names the header', async (_, name, text) => {
    expectProblem(replyIn(await raw(api, `${text}Connection: close\r\n\r\n`)), { ...malformed, names: [name] });
  });

  test.each(['http://[::1/healthz', '//a@[::1#x'])('with the target %s is told so', async (target) => {
    const received = await raw(api, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expectProblem(replyIn(received), { ...malformed, names: [''] });
  });

  test('whose body never ends is timed out', async () => {
    const text = `PUT ${THRESHOLD} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
    expectProblem(replyIn(await raw(api, text)), { status: 408, type: 'request-timeout' });
  });
});

test('a connection is closed after its answer while the process stops', async () => {
  api.stopping(true);
  const reply = await exchange(api, 'GET', THRESHOLD, { Authorization: token, Connection: 'keep-alive' });
  api.stopping(false);
  expect([reply.status, reply.headers.connection]).toEqual([200, 'close']);
});
