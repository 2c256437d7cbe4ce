import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN, OWNER, POINT } from '../support/api/callers';
import { createMemoryNodes } from '../support/api/memory-point-alarms';
import { startApi } from '../support/api/start-api';

/** Keeps the process busy, as many calls do. */
const work = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

test('who sends more than can be looked at is refused at once; others, and reads, are not', async () => {
  const { port: nodes } = createMemoryNodes();
  const pointAlarms: typeof nodes = {
    ...nodes,
    send: (...call) => {
      work(10);
      return nodes.send(...call);
    },
    tooMany: () => ({ _tag: 'Overloaded', retryAfter: 7, isOwnShare: true }),
  };
  const settings = { REQUEST_TIMEOUT_MS: 30_000, SOCKET_TIMEOUT_MS: 60_000 }; // the machine may be busy
  const api = await startApi({ settings, ports: { pointAlarms } });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(async () => {
    agent.destroy();
    await api.close();
  });
  const tokens: Readonly<Record<string, string>> = {
    [OWNER]: await api.callers.token(OWNER),
    [ADMIN]: await api.callers.token(ADMIN),
  };
  const answer = (user: string, method: 'GET' | 'PUT', path: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${tokens[user]}`, 'Content-Type': 'application/json' };
      const sent = request({ agent, port: api.port, method, path, headers }, (response) => {
        const after = response.headers['retry-after'] ?? '';
        text(response).then(() => resolve(`${response.statusCode} ${after}`), reject);
      });
      sent.on('error', reject).end(method === 'PUT' ? '{"status": 3}' : undefined);
    });
  const put = (user: string) => answer(user, 'PUT', `/v1/alarm-status/${POINT}/status/external`);
  await Promise.all(Array.from({ length: 120 }, () => answer(OWNER, 'GET', '/healthz'))); // opens the connections
  const flood = Array.from({ length: 120 }, () => put(OWNER));
  await sleep(350);
  const more = [
    put(OWNER),
    put(ADMIN),
    answer(OWNER, 'GET', `/v1/alarm-status/${POINT}`),
    answer(OWNER, 'GET', '/healthz'),
  ];
  expect(await Promise.all(more)).toEqual(['429 7', '204 ', '200 ', '200 ']);
  expect(new Set(await Promise.all(flood))).toEqual(new Set(['204 ']));
});
