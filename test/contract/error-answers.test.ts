import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createErrorTurns } from '../../api/http/error-answers';
import { call } from '../support/api/call';
import { ADMIN, OWNER, POINT } from '../support/api/callers';
import { raw, replyIn } from '../support/api/raw';
import { startApi, type Api } from '../support/api/start-api';

/** Milliseconds that answers were made to wait, in place of waiting. */
let waited: number[] = [];
const wait = (ms: number): Promise<void> => {
  waited.push(ms);
  return Promise.resolve();
};

let api: Api;
let quick: Api;
beforeAll(async () => {
  api = await startApi({ errorTurn: createErrorTurns() });
});
afterAll(() => api.close());
beforeEach(async () => {
  waited = [];
  quick = await startApi({ errorTurn: createErrorTurns(undefined, wait) });
});
afterEach(() => quick.close());

const PATH = `/v1/alarm-status/${POINT}/status/external`;
const MIB = 1_048_576;
const send = async (body: string, user = OWNER): Promise<number> =>
  (await call(quick, { method: 'PUT', path: PATH, user, body: Buffer.from(body) })).status;
const bytes = async (text: string): Promise<number> => replyIn(await raw(quick, text)).status;
/** A head that announces so many bytes, none of which come. */
const announcing = async (length: number): Promise<number> => {
  const token = `Authorization: Bearer ${await quick.callers.token(OWNER)}`;
  const fields = ['Host: x', token, 'Content-Type: application/json', `Content-Length: ${length}`, 'Connection: close'];
  return bytes([`PUT ${PATH} HTTP/1.1`, ...fields, '', ''].join('\r\n'));
};

const lone: ReadonlyArray<readonly [string, number, () => Promise<number>]> = [
  ['a bad body of 1 MiB', 400, () => send('{"status": 9}'.padEnd(MIB))],
  ['a body that is no JSON', 400, () => send('['.repeat(MIB))],
  ['a body of a byte too many', 413, () => send('{"status": 3}'.padEnd(MIB + 1))],
  ['a body of 1 GiB that was only announced', 413, () => announcing(1_024 * MIB)],
  ['bytes that are no HTTP', 400, () => bytes('no HTTP\r\n\r\n')],
  ['a head that is too large', 431, () => bytes(`GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)],
];

test.each(lone)('a lone error is answered at once: %s', async (_, status, refused) => {
  expect(await refused()).toBe(status);
  expect(waited).toEqual([]);
});

test.each(lone.slice(0, 4))('the next error pays for a large one: %s', async (_, status, refused) => {
  expect(await refused()).toBe(status);
  expect(await send('{"status": 9}', ADMIN)).toBe(400); // of somebody else
  expect(waited).toEqual([]);
  expect(await send('{"status": 9}')).toBe(400);
  expect(waited).toEqual([expect.any(Number)]);
  expect(await send('{"status": 3}')).toBe(204);
  expect(waited).toHaveLength(1);
});

/** Errors at once: their answers take two seconds, so that a busy machine is in the middle of them when another call comes. */
const CROWD = 200;

const put = async (user: string, status: number): Promise<number> => {
  return (await call(api, { method: 'PUT', path: PATH, user, body: { status } })).status;
};

test.each([
  ['of one user', 400, () => put(OWNER, 9)],
  ['of bytes that are no HTTP', 400, async () => replyIn(await raw(api, 'no HTTP\r\n\r\n')).status],
  [
    'of heads that are too large',
    431,
    async () => replyIn(await raw(api, `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)).status,
  ],
])('the answers to refusals %s wait, and meanwhile those to another come', async (_, status, refused) => {
  let answered = 0;
  const bad = Array.from({ length: CROWD }, () => refused().finally(() => (answered += 1)));
  await Promise.race(bad);
  const good = await put(ADMIN, 3);
  expect(answered).toBeLessThan(CROWD);
  expect([good, ...(await Promise.all(bad))]).toEqual([204, ...Array<number>(CROWD).fill(status)]);
});
