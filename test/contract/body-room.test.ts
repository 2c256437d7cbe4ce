import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createBodyReader } from '../../api/body/body-reader';
import { call, type Reply } from './setup/call';
import { ADMIN, OWNER, POINT } from './setup/callers';
import { expectProblem } from './setup/expect-problem';
import { startApi, type Api } from './setup/start-api';

const PATH = `/v1/alarm-status/${POINT}/status/external`;
const SHARE = 10_000;
/** What fits into it, with what its chunks take besides their bytes. */
const FITS = SHARE - 1_024;

let api: Api;
beforeEach(async () => {
  api = await startApi({
    ports: { readBody: createBodyReader(4 * SHARE), hierarchy: { kindOf: () => 'measurement_point' } },
  });
});
afterEach(() => api.close());

/** A valid body of so many bytes. */
const bodyOf = (bytes: number): Buffer => Buffer.from('{"status": 3}'.padEnd(bytes));
const put = (user: string, bytes: number): Promise<Reply> =>
  call(api, { method: 'PUT', path: PATH, user, body: bodyOf(bytes) });

/** A call that has sent all of its body but the last byte. */
const unfinished = async (user: string, bytes: number): Promise<Socket> => {
  const head = [
    `PUT ${PATH} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${await api.callers.token(user)}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
  ];
  const socket = connect(api.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(bodyOf(bytes).subarray(0, -1));
  return socket;
};

describe('the bodies of calls under way', () => {
  test('take room until they are answered: one after the other fits', async () => {
    for (let count = 0; count < 10; count += 1) expect((await put(ADMIN, FITS)).status).toBe(204);
  });

  test('a body beyond the share of its user is refused, and changes nothing; others have room', async () => {
    const before = api.nodes.snapshot();
    const refused = await put(ADMIN, SHARE + 1);
    expectProblem(refused, { status: 429, type: 'too-many-requests' });
    expect(refused.headers['retry-after']).toBe('1');
    expect(api.nodes.snapshot()).toBe(before);
    expect((await put(OWNER, FITS)).status).toBe(204);
  });

  test('a chunk counts as more than its bytes, since it takes more memory', async () => {
    const socket = connect(api.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const answer = once(socket, 'data');
    const fields = ['Host: x', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const token = `Authorization: Bearer ${await api.callers.token(ADMIN)}`;
    socket.write([`PUT ${PATH} HTTP/1.1`, ...fields, token, '', '1\r\n \r\n'.repeat(50)].join('\r\n'));
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 429 /);
  });

  test('what was sent counts, not what was announced; and it is given back when its caller goes', async () => {
    const half = await unfinished(ADMIN, SHARE / 2);
    await expect.poll(async () => (await put(ADMIN, SHARE / 2 + 2)).status).toBe(429);
    expect((await put(ADMIN, FITS / 2)).status).toBe(204);
    half.destroy();
    await expect.poll(async () => (await put(ADMIN, FITS)).status).toBe(204);
  });

  test('a call whose room was given on is answered once it ends', async () => {
    const half = await unfinished(ADMIN, SHARE / 2);
    await expect.poll(async () => (await put(ADMIN, SHARE / 2 + 2)).status).toBe(429);
    const answered = new Promise<string>((resolve) => half.once('data', (data) => resolve(String(data))));
    half.write(' ');
    expect(await answered).toMatch(/^HTTP\/1\.1 204 /);
    await expect.poll(async () => (await put(ADMIN, FITS)).status).toBe(204);
  });
});
