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

/** An API in which a write takes a while, and how it answers on connections that are open already. */
const started = async () => {
  const { port: nodes } = createMemoryNodes();
  const pointAlarms: typeof nodes = {
    ...nodes,
    send: (...call) => {
      work(10);
      return nodes.send(...call);
    },
    tooMany: () => ({ _tag: 'Overloaded', retryAfter: 7, isOwnShare: true }),
  };
  const settings = { REQUEST_TIMEOUT_MS: 30_000, SOCKET_TIMEOUT_MS: 60_000, CALL_DEADLINE_MS: 30_000 }; // the machine may be busy
  const api = await startApi({ settings, ports: { pointAlarms } });
  const agent = new Agent({ keepAlive: true, maxFreeSockets: Infinity });
  onTestFinished(async () => {
    agent.destroy();
    await api.close();
  });
  const tokens: Readonly<Record<string, string>> = {
    [OWNER]: await api.callers.token(OWNER),
    [ADMIN]: await api.callers.token(ADMIN),
  };
  const answer = (user: string | null, method: 'GET' | 'PUT', path: string) =>
    new Promise<string>((resolve, reject) => {
      const token = user === null ? {} : { Authorization: `Bearer ${tokens[user]}` };
      const headers = { ...token, 'Content-Type': 'application/json' };
      const sent = request({ agent, port: api.port, method, path, headers }, (response) => {
        const after = response.headers['retry-after'] ?? '';
        text(response).then(() => resolve(`${response.statusCode} ${after}`), reject);
      });
      sent.on('error', reject).end(method === 'PUT' ? '{"status": 3}' : undefined);
    });
  const put = (user: string) => answer(user, 'PUT', `/v1/alarm-status/${POINT}/status/external`);
  await Promise.all(Array.from({ length: 480 }, () => answer(OWNER, 'GET', '/healthz'))); // opens the connections
  for (const user of [OWNER, ADMIN]) await answer(user, 'GET', `/v1/alarm-status/${POINT}`); // verifies the tokens
  return { answer, put };
};

test('who sends more than can be looked at is refused at once; others, and reads, are not', async () => {
  const { answer, put } = await started();
  const flood = Array.from({ length: 240 }, () => put(OWNER));
  await sleep(500);
  const more = [
    put(OWNER),
    put(ADMIN),
    answer(OWNER, 'GET', `/v1/alarm-status/${POINT}`),
    answer(OWNER, 'GET', '/healthz'),
  ];
  expect(await Promise.all(more)).toEqual(['429 7', '204 ', '200 ', '200 ']);
  expect(new Set(await Promise.all(flood))).toEqual(new Set(['204 ']));
});

test('a crowd without a token at a page is refused; probes, other pages and calls are not', async () => {
  const { answer, put } = await started();
  const busy = Array.from({ length: 240 }, () => put(OWNER));
  const crowd = Array.from({ length: 240 }, () => answer(null, 'GET', '/openapi.json'));
  await sleep(500);
  const more = [
    answer(null, 'GET', '/openapi.json'),
    answer(null, 'GET', '/healthz'),
    answer(null, 'GET', '/readyz'),
    answer(null, 'GET', '/metrics'),
    put(ADMIN),
    answer(ADMIN, 'GET', `/v1/alarm-status/${POINT}`),
  ];
  expect(await Promise.all(more)).toEqual(['503 1', '200 ', '200 ', '200 ', '204 ', '200 ']);
  expect(new Set(await Promise.all([...busy, ...crowd]))).toEqual(new Set(['204 ', '200 ']));
});

test('a crowd at the probes has its answers all the same', async () => {
  const { answer, put } = await started();
  const busy = Array.from({ length: 240 }, () => put(OWNER));
  const crowd = Array.from({ length: 240 }, () => answer(null, 'GET', '/readyz'));
  await sleep(500);
  const more = Array.from({ length: 10 }, () => answer(null, 'GET', '/readyz'));
  expect(new Set(await Promise.all([...crowd, ...more]))).toEqual(new Set(['200 ']));
  await Promise.all(busy);
});
