import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './setup/call';
import { ADMIN, OWNER, POINT } from './setup/callers';
import { raw, replyIn } from './setup/raw';
import { startApi, type Api } from './setup/start-api';

let api: Api;
beforeAll(async () => {
  api = await startApi({ refusalsPerSecond: 4 });
});
afterAll(() => api.close());

const put = async (user: string, status: number): Promise<number> => {
  const path = `/v1/alarm-status/${POINT}/status/external`;
  return (await call(api, { method: 'PUT', path, user, body: { status } })).status;
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
  const bad = Array.from({ length: 8 }, () => refused().finally(() => (answered += 1)));
  await Promise.race(bad);
  const good = await put(ADMIN, 3);
  expect(answered).toBeLessThan(8);
  expect([good, ...(await Promise.all(bad))]).toEqual([204, ...Array<number>(8).fill(status)]);
});
