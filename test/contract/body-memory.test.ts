import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createBodyReader } from '../../api/http/body/body-reader';
import { call, type Reply } from '../support/api/call';
import { ADMIN, OWNER, POINT } from '../support/api/callers';
import { expectProblem } from '../support/api/expect-problem';
import { createMemoryNodes } from '../support/api/memory-point-alarms';
import { startApi, type Api } from '../support/api/start-api';

const PATH = `/v1/alarm-status/${POINT}/status/external`;
const QUOTA = 10_000;
/** What fits into it, with what its chunks take besides their bytes. */
const FITS = QUOTA - 1_024;

let api: Api;
beforeEach(async () => {
  api = await startApi({
    ports: { readBody: createBodyReader(4 * QUOTA), hierarchy: { kindOf: () => 'measurement_point' } },
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

describe('the bodies of calls in flight', () => {
  test('take room until they are answered: one after the other fits', async () => {
    for (let count = 0; count < 10; count += 1) expect((await put(ADMIN, FITS)).status).toBe(204);
  });

  test('a user alone has all of it; a body beyond it is refused, and changes nothing', async () => {
    expect((await put(ADMIN, 3 * QUOTA + FITS)).status).toBe(204);
    const before = api.nodes.snapshot();
    const refused = await put(ADMIN, 4 * QUOTA + 1);
    expectProblem(refused, { status: 429, type: 'too-many-requests' });
    expect(refused.headers['retry-after']).toBe('1');
    expect(api.nodes.snapshot()).toBe(before);
  });

  test('a user beside others leaves a quota free, which those get', async () => {
    expect((await put(OWNER, 100)).status).toBe(204);
    await unfinished(ADMIN, 2 * QUOTA + FITS);
    await expect.poll(async () => (await put(ADMIN, 2_000)).status).toBe(429);
    expect((await put(OWNER, FITS)).status).toBe(204);
  });

  test('who comes to a room that one user has filled is told to come again, and gets in once those calls end', async () => {
    const all = await unfinished(ADMIN, 3 * QUOTA + FITS);
    await expect.poll(async () => (await put(OWNER, FITS)).status).toBe(503);
    const refused = await put(OWNER, FITS);
    expectProblem(refused, { status: 503, type: 'unavailable' });
    expect(refused.headers['retry-after']).toBe('1');
    all.destroy();
    await expect.poll(async () => (await put(OWNER, FITS)).status).toBe(204);
  });

  test('a chunk counts as more than its bytes, since it takes more memory', async () => {
    const socket = connect(api.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const answer = once(socket, 'data');
    const fields = ['Host: x', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const token = `Authorization: Bearer ${await api.callers.token(ADMIN)}`;
    socket.write([`PUT ${PATH} HTTP/1.1`, ...fields, token, '', '1\r\n \r\n'.repeat(200)].join('\r\n'));
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 429 /);
  });

  test('what was sent counts, not what was announced; and it is given back when its caller goes', async () => {
    const half = await unfinished(ADMIN, 2 * QUOTA);
    await expect.poll(async () => (await put(ADMIN, 2 * QUOTA + 2)).status).toBe(429);
    expect((await put(ADMIN, QUOTA + FITS)).status).toBe(204);
    half.destroy();
    await expect.poll(async () => (await put(ADMIN, 3 * QUOTA + FITS)).status).toBe(204);
  });

  test('a call whose room was given on is answered once it ends', async () => {
    const half = await unfinished(ADMIN, 2 * QUOTA);
    await expect.poll(async () => (await put(ADMIN, 2 * QUOTA + 2)).status).toBe(429);
    const answered = new Promise<string>((resolve) => half.once('data', (data) => resolve(String(data))));
    half.write(' ');
    expect(await answered).toMatch(/^HTTP\/1\.1 204 /);
    await expect.poll(async () => (await put(ADMIN, 3 * QUOTA + FITS)).status).toBe(204);
  });
});

test.each([
  ['alone', []],
  ['beside others, who have just sent something', [OWNER]],
])('16 bodies of 1 MiB of one user find room at once unless MAX_BODIES_BYTES is set, %s', async (_, others) => {
  const MIB = 1_048_576;
  const { port: nodes } = createMemoryNodes();
  let waiting = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const send: typeof nodes.send =
    (...command) =>
    async () => {
      waiting += 1;
      if (waiting > others.length) await released; // the room is kept until the answer
      return nodes.send(...command)();
    };
  const usual = await startApi({ ports: { pointAlarms: { ...nodes, send } } });
  onTestFinished(usual.close);
  const by = (user: string, bytes: number): Promise<Reply> =>
    call(usual, { method: 'PUT', path: PATH, user, body: bodyOf(bytes) });
  for (const other of others) expect((await by(other, 100)).status).toBe(204);
  const answers = Promise.all(Array.from({ length: 16 }, () => by(ADMIN, MIB)));
  await expect.poll(() => waiting, { timeout: 10_000 }).toBe(others.length + 16);
  release();
  expect((await answers).map(({ status }) => status)).toEqual(Array(16).fill(204));
});
