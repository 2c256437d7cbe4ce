import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN, POINT } from '../support/api/callers';
import { expectProblem } from '../support/api/expect-problem';
import { raw, replyIn } from '../support/api/raw';
import { startApi, type Api } from '../support/api/start-api';
import { forFile } from '../support/for-file';

const STATUS = `/v1/alarm-status/${POINT}`;
const PATH = `${STATUS}/status/external`;
const BODY = '{"status": 3}';
const CHUNKED = `d\r\n${BODY}\r\n0\r\n\r\n`;

const api = forFile(startApi, ({ close }) => close());
let token: string;
beforeAll(async () => {
  token = await api.callers.token(ADMIN);
});
beforeEach(() => api.nodes.forget());

const head = (version = '1.1', path = PATH): string =>
  `PUT ${path} HTTP/${version}\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\n`;
/** A request that would be carried out, were it taken for one. */
const smuggled = (): string => `${head()}Connection: close\r\nContent-Length: 13\r\n\r\n${BODY}`;

/** The statuses of all answers; a connection that is left open is an error. */
const statusesOf = (received: string): ReadonlyArray<string> =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status = '']) => status);

const INVALID = { status: 400, type: 'invalid-request' };
/** Sends this: one answer, with this problem, and nothing carried out. */
const refused = async (text: string | Buffer, problem = INVALID): Promise<void> => {
  const received = await raw(api, text);
  expect(statusesOf(received)).toEqual([String(problem.status)]);
  expectProblem(replyIn(received), problem);
  expect(api.nodes.snapshot()).toBe('[]');
};

/** What is framed so that two readers may see two things: fields, and the body after them. */
const ambiguous: ReadonlyArray<readonly [string, string, string]> = [
  ['a length, then chunks', 'Content-Length: 13\r\nTransfer-Encoding: chunked', CHUNKED],
  ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', CHUNKED],
  ['chunks and something else', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x', CHUNKED],
  ['a coding nobody knows', 'Transfer-Encoding: xchunked', CHUNKED],
  ['chunks on a folded line', 'Transfer-Encoding:\r\n chunked', CHUNKED],
  ['a space before the colon of chunks', 'Transfer-Encoding : chunked', CHUNKED],
  ['a space before the colon of a length', 'Content-Length : 13', BODY],
  ['two lengths', 'Content-Length: 13\r\nContent-Length: 0', BODY],
  ['a length with a plus', 'Content-Length: +13', BODY],
  ['a length beyond 64 bits', 'Content-Length: 18446744073709551629', BODY],
  ['a folded line', 'X: a\r\n b\r\nContent-Length: 13', BODY],
  ['a bare line feed that hides chunks', 'X: a\nTransfer-Encoding: chunked', CHUNKED],
  ['a name with a space', 'X Y: x\r\nContent-Length: 13', BODY],
  ['a chunk of 0x bytes', 'Transfer-Encoding: chunked', CHUNKED.replace('d', '0xd')],
  ['a chunk size beyond 64 bits', 'Transfer-Encoding: chunked', CHUNKED.replace('d', '1000000000000000d')],
  ['a chunk longer than it says', 'Transfer-Encoding: chunked', CHUNKED.replace('d', '5')],
  ['a chunk without its end', 'Transfer-Encoding: chunked', `d\r\n${BODY}0\r\n\r\n`],
  ['a bare line feed in a chunk extension', 'Transfer-Encoding: chunked', `d;a\nb\r\n${BODY}\r\n0\r\n\r\n`],
];

describe('a request with', () => {
  test.each(ambiguous)('%s is refused, and what follows it is not read', (_, fields, body) =>
    refused(`${head()}${fields}\r\n\r\n${body}${smuggled()}`),
  );

  test.each([
    ['chunks of HTTP/1.0', () => `${head('1.0')}Transfer-Encoding: chunked\r\n\r\n${CHUNKED}${smuggled()}`],
    [
      'chunks of HTTP/1.0 that keeps alive',
      () => `${head('1.0')}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}${smuggled()}`,
    ],
    ['bare line feeds', () => smuggled().replaceAll('\r\n', '\n')],
    ['a host that is none', () => smuggled().replace('Host: x', 'Host: x/../y')],
    ['a method in lower case', () => smuggled().replace('PUT', 'put')],
    ['bytes beyond ASCII in its address', () => smuggled().replace('/v1', '/v1/\u00e9')],
    ['the version 1.2', () => smuggled().replace('HTTP/1.1', 'HTTP/1.2')],
    ['no HTTP at all before it', () => `hello\r\n\r\n${smuggled()}`],
    ['TLS before it', () => Buffer.concat([Buffer.from('160301000501', 'hex'), Buffer.from(`\r\n\r\n${smuggled()}`)])],
    ['a method that nobody knows', () => smuggled().replace('PUT', 'FETCH')],
    ['the preface of HTTP/2', () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${smuggled()}`],
  ])('%s is refused', (_, text) => refused(text()));

  test.each([
    ['chunk extensions', 'Transfer-Encoding: chunked', CHUNKED.replace('d', 'd;a=b;c="d"')],
    ['chunks in capitals', 'Transfer-Encoding: Chunked', CHUNKED],
    ['leading zeros', 'Content-Length: 0013', BODY],
    ['a field that only looks like one of framing', 'Transfer_Encoding: chunked\r\nContent-Length: 13', BODY],
  ])('%s is a good one, and so is the next', async (_, fields, body) => {
    expect(statusesOf(await raw(api, `${head()}${fields}\r\n\r\n${body}`, smuggled()))).toEqual(['204', '204']);
  });

  test('an offer of another protocol is answered in this one', async () => {
    const offer = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\nContent-Length: 13';
    expect(statusesOf(await raw(api, `${head()}${offer}\r\n\r\n${BODY}`))).toEqual(['204']);
  });

  test('a token in its trailer has none', async () => {
    const bare = head().replace(/Authorization: .*\r\n/u, '');
    const trailer = `Authorization: ${token}`;
    const fields = 'Connection: close\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization';
    const text = `${bare}${fields}\r\n\r\nd\r\n${BODY}\r\n0\r\n${trailer}\r\n\r\n`;
    await refused(text, { status: 401, type: 'missing-authentication-token' });
  });
});

test('what follows the request that ends a connection is not carried out', async () => {
  const last = `GET ${STATUS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nConnection: close\r\n\r\n`;
  expect(statusesOf(await raw(api, `${last}${smuggled()}`))).toEqual(['200']);
  expect(statusesOf(await raw(api, `${last.replace('1.1', '1.0')}${smuggled()}`))).toEqual(['200']);
  expect(api.nodes.snapshot()).toBe('[]');
});

describe('requests sent without waiting', () => {
  /** An API that takes a while for each call, now more, now less: without that nothing would ever wait. */
  let slow: Api;
  let admin: string;
  beforeAll(async () => {
    let calls = 0;
    const aWhile = async () => {
      await sleep((calls += 1) % 2 === 0 ? 2 : 8);
      return E.right([]);
    };
    slow = await startApi({ ports: { authorizer: { violations: () => aWhile } } });
    admin = await slow.callers.token(ADMIN);
  });
  afterAll(() => slow.close());
  beforeEach(() => slow.nodes.forget());

  const external = (status: number, connection = ''): string =>
    `${head().replace(token, admin)}${connection}Content-Length: 13\r\n\r\n{"status": ${status}}`;
  /** The statuses that were carried out, in their order: those of the events. */
  const carriedOut = (): ReadonlyArray<number> =>
    [...slow.nodes.snapshot().matchAll(/"alarmStatus":(\d)/gu)].map(([, status]) => Number(status));

  test.each([2, 33, 500])(
    'are not carried out but for the first: its answer ends the connection, of %i',
    async (count) => {
      const received = await raw(slow, external(2).repeat(count));
      expect(statusesOf(received)).toEqual(['204']);
      expect(received).toContain('Connection: close');
      expect(carriedOut()).toEqual([2]);
    },
  );

  test('after the answer are carried out on the same connection', async () => {
    expect(statusesOf(await raw(slow, external(1), external(4, 'Connection: close\r\n')))).toEqual(['204', '204']);
    expect(carriedOut()).toEqual([1, 4]);
  });
});

describe('a head', () => {
  const get = (fields: string): string => `GET ${STATUS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n${fields}`;
  const tooLarge = { status: 431, type: 'request-header-fields-too-large' };

  test('may have 100 fields, not 101, and none is dropped unseen', async () => {
    const close = 'Connection: close\r\n\r\n';
    expect(statusesOf(await raw(api, get('a: b\r\n'.repeat(97) + close)))).toEqual(['200']);
    for (const count of [98, 99, 500, 2_500]) await refused(get('a:\r\n'.repeat(count) + close), tooLarge);
  });

  test.each([
    ['a field', () => get(`X: ${'x'.repeat(16_384)}\r\n\r\n`)],
    ['the name of a field', () => get(`${'x'.repeat(16_384)}: x\r\n\r\n`)],
    ['the address', () => get('\r\n').replace(' HTTP', `?${'x'.repeat(16_384)} HTTP`)],
    [
      'trailers',
      () => `${head()}Transfer-Encoding: chunked\r\n\r\n${CHUNKED.slice(0, -2)}${'X: y\r\n'.repeat(9_000)}\r\n`,
    ],
  ])('or trailers of more than 16 KiB are refused: %s', (_, text) => refused(text(), tooLarge));

  test('whose chunk has endless extensions is refused', () => {
    const text = `${head()}Transfer-Encoding: chunked\r\n\r\nd;${'x'.repeat(20_000)}\r\n${BODY}`;
    return refused(text, { status: 413, type: 'payload-too-large' });
  });
});

test.each([
  ['dots', `/v1/alarm-status/x/../${POINT}/status/external`],
  ['escaped dots', `/v1/alarm-status/x/%2e%2e/${POINT}/status/external`],
  ['an escaped slash', `${STATUS}%2fstatus/external`],
  ['a parameter of its segment', `${PATH};x=1`],
  ['an overlong slash', `${STATUS}%c0%afstatus/external`],
  ['an escaped NUL after it', `${PATH}%00`],
])('an address with %s leads nowhere', async (_, path) => {
  const text = `${head('1.1', path)}Connection: close\r\nContent-Length: 13\r\n\r\n${BODY}`;
  expect([400, 404]).toContain(replyIn(await raw(api, text)).status);
  expect(api.nodes.snapshot()).toBe('[]');
});
