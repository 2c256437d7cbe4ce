import { afterEach, beforeEach, expect, test } from 'vitest';
import { createErrorTurns } from '../../api/http/delay-errors';
import { call } from '../support/api/call';
import { ADMIN, OWNER, POINT } from '../support/api/callers';
import { raw, replyIn } from '../support/api/raw';
import { startApi, type Api } from '../support/api/start-api';

/** Milliseconds that answers were made to wait: each until it is let go, in place of that time. */
let waited: number[];
let letGo: () => void;
let api: Api;
beforeEach(async () => {
  waited = [];
  const gone = new Promise<void>((resolve) => (letGo = resolve));
  const wait = (ms: number): Promise<void> => {
    waited.push(ms);
    return gone;
  };
  api = await startApi({ errorTurn: createErrorTurns(() => 0, wait) });
});
afterEach(() => api.close());

const PATH = `/v1/alarm-status/${POINT}/status/external`;
const MIB = 1_048_576;
const MOST = 2 * MIB;
const send = async (body: string, user = OWNER): Promise<number> =>
  (await call(api, { method: 'PUT', path: PATH, user, body: Buffer.from(body) })).status;
const bytes = async (text: string): Promise<number> => replyIn(await raw(api, text)).status;
/** A head that announces so many bytes, none of which come. */
const announcing = async (length: number): Promise<number> => {
  const token = `Authorization: Bearer ${await api.callers.token(OWNER)}`;
  const fields = ['Host: x', token, 'Content-Type: application/json', `Content-Length: ${length}`, 'Connection: close'];
  return bytes([`PUT ${PATH} HTTP/1.1`, ...fields, '', ''].join('\r\n'));
};

const lone: ReadonlyArray<readonly [string, number, () => Promise<number>]> = [
  ['a bad body of 2 MiB', 400, () => send('{"status": 9}'.padEnd(MOST))],
  ['a body that is no JSON', 400, () => send('['.repeat(MOST))],
  ['a body of a byte too many', 413, () => send('{"status": 3}'.padEnd(MOST + 1))],
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
  letGo();
  expect(await send('{"status": 9}')).toBe(400);
  expect(waited).toEqual([expect.any(Number)]);
  expect(await send('{"status": 3}')).toBe(204);
  expect(waited).toHaveLength(1);
});

const CROWD = 40;

test.each([
  ['of one user', 400, () => send('{"status": 9}')],
  ['of bytes that are no HTTP', 400, () => bytes('no HTTP\r\n\r\n')],
  ['of heads that are too large', 431, () => bytes(`GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)],
])('the answers to refusals %s wait, and meanwhile those to another come', async (_, status, refused) => {
  const bad = Array.from({ length: CROWD }, refused);
  await expect.poll(() => waited.length, { timeout: 10_000 }).toBeGreaterThan(CROWD / 4);
  expect(await send('{"status": 3}', ADMIN)).toBe(204);
  letGo();
  expect(await Promise.all(bad)).toEqual(Array<number>(CROWD).fill(status));
});
