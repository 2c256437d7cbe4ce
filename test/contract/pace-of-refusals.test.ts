import { expect, onTestFinished, test } from 'vitest';
import { call } from './setup/call';
import { ADMIN, OWNER, POINT } from './setup/callers';
import { startApi } from './setup/start-api';

test('the answers to refusals of one user wait, and meanwhile those to another come', async () => {
  const api = await startApi({ refusalsPerSecond: 4 });
  onTestFinished(() => api.close());
  const path = `/v1/alarm-status/${POINT}/status/external`;
  const order: string[] = [];
  const put = async (user: string, status: number): Promise<number> => {
    const answer = await call(api, { method: 'PUT', path, user, body: { status } });
    order.push(user);
    return answer.status;
  };
  const bad = Array.from({ length: 8 }, () => put(OWNER, 9));
  await bad[0];
  const good = await put(ADMIN, 3);
  expect([good, ...(await Promise.all(bad))]).toEqual([204, ...Array<number>(8).fill(400)]);
  expect(order.indexOf(ADMIN)).toBeLessThan(8);
});
