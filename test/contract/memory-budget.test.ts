import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryBudget } from '../../api/http/memory-budget';
import { call, type Reply } from '../support/api/call';
import { ADMIN, OWNER, POINT } from '../support/api/callers';
import { expectProblem } from '../support/api/expect-problem';
import { createMemoryNodes } from '../support/api/memory-point-alarms';
import { apiOfTest, startApi, type Api } from '../support/api/start-api';

const PATH = `/v1/alarm-status/${POINT}/status/external`;
const MOST = 40_000;
/** What a user alone may hold, with what its chunks take besides their bytes. */
const SHARE = MOST / 2 - 1_024;

let api: Api;
beforeEach(async () => {
  api = await startApi({
    ports: { memory: createMemoryBudget(MOST), hierarchy: { kindOf: () => 'measurement_point' } },
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
  test('take memory until they are answered: one after the other fits', async () => {
    for (let count = 0; count < 10; count += 1) expect((await put(ADMIN, SHARE)).status).toBe(204);
  });

  test('a user alone holds half of it; what is beyond is refused and changes nothing, and another finds memory', async () => {
    await unfinished(ADMIN, SHARE);
    await expect.poll(async () => (await put(ADMIN, 2_000)).status).toBe(429);
    const before = api.nodes.snapshot();
    const refused = await put(ADMIN, 2_000);
    expectProblem(refused, { status: 429, type: 'too-many-requests' });
    expect(refused.headers['retry-after']).toBe('1');
    expect(api.nodes.snapshot()).toBe(before);
    expect((await put(OWNER, MOST / 4)).status).toBe(204);
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

  test('a call whose caller goes gives its memory back, and one that ends is answered', async () => {
    const half = await unfinished(ADMIN, SHARE);
    await expect.poll(async () => (await put(ADMIN, 2_000)).status).toBe(429);
    const answered = new Promise<string>((resolve) => half.once('data', (data) => resolve(String(data))));
    half.write(' ');
    expect(await answered).toMatch(/^HTTP\/1\.1 204 /);
    await expect.poll(async () => (await put(ADMIN, SHARE)).status).toBe(204);
  });
});

/** Bytes of 25,600 lines with full doubles as people write them. */
const LARGEST = 1_400_000;

test.each([
  ['alone', []],
  ['beside others, who have just sent something', [OWNER]],
])(
  '16 of the largest spectra of one user find memory at once unless CALL_MEMORY_BYTES is set, %s',
  async (_, others) => {
    const { port: nodes } = createMemoryNodes();
    let waiting = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const send: typeof nodes.send =
      (...command) =>
      async () => {
        waiting += 1;
        if (waiting > others.length) await released; // the memory is held until the answer
        return nodes.send(...command)();
      };
    const settings = { REQUEST_TIMEOUT_MS: 30_000, CALL_DEADLINE_MS: 30_000 }; // a busy machine takes its time
    const usual = await apiOfTest({ ports: { pointAlarms: { ...nodes, send } }, settings });
    const by = (user: string, bytes: number): Promise<Reply> =>
      call(usual, { method: 'PUT', path: PATH, user, body: bodyOf(bytes) });
    for (const other of others) expect((await by(other, 100)).status).toBe(204);
    const answers = Array.from({ length: 16 }, () => by(ADMIN, LARGEST));
    const refused: string[] = [];
    for (const answer of answers)
      void answer.then(({ status, text }) => status === 204 || refused.push(`${status} ${text}`));
    await vi.waitUntil(() => waiting + refused.length >= others.length + 16, 10_000).catch(() => undefined);
    expect([waiting, refused]).toEqual([others.length + 16, []]);
    release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(16).fill(204));
  },
);
