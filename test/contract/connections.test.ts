import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange } from '../support/api/call';
import { ADMIN, OWNER, POINT } from '../support/api/callers';
import { startApi, type Api } from '../support/api/start-api';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** As many connections as the system keeps for a process that has not taken them yet, at most 4,096. */
const kept = (): number => {
  try {
    return Math.min(4_096, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')));
  } catch {
    return 128;
  }
};

test('a crowd of connections finds place at once: else their systems would try again a second later', async () => {
  const crowd = Array.from({ length: Math.min(700, kept() - 28) }, () => connect(api.port, '127.0.0.1'));
  const connected = Promise.all(crowd.map((socket) => once(socket, 'connect'))).then(() => 'connected');
  expect(await Promise.race([connected, sleep(900, 'some have to try again')])).toBe('connected');
  for (const socket of crowd) socket.destroy();
});

test('who sends one request does not wait behind the many that another one sent before', async () => {
  const get = async (user: string): Promise<() => Promise<unknown>> => {
    const headers = { Authorization: `Bearer ${await api.callers.token(user)}` };
    return () => exchange(api, 'GET', `/v1/alarm-status/${POINT}`, headers);
  };
  const [many, one] = [await get(ADMIN), await get(OWNER)];
  await Promise.all([many(), one()]);
  let answered = 0;
  const crowd = Array.from({ length: 300 }, () => many().then(() => (answered += 1)));
  await one();
  expect(answered).toBeLessThan(200);
  await Promise.all(crowd);
});
