import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { isSurplus, passInTurn } from '../../../../api/http/in-turn';

/** A server that begins requests in turn, and what it has begun. */
const started = () => {
  const server = createServer();
  const begun: IncomingMessage[] = [];
  passInTurn(server, (request) => Promise.resolve(void begun.push(request)), new Set(['/page']));
  const send = (method: string, authorization?: string, url = '/'): IncomingMessage => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method, url, headers: { authorization } });
    server.emit('request', request, new ServerResponse(request));
    return request;
  };
  return { server, begun, send };
};

test('four begin in each turn of the event loop, and none in one that brings a connection', async () => {
  const { server, begun, send } = started();
  server.emit('connection', new Socket());
  for (let count = 0; count < 6; count += 1) send('PUT', 'a');
  const counts: number[] = [];
  while (counts.length < 3) {
    await new Promise(setImmediate);
    counts.push(begun.length);
  }
  expect(counts).toEqual([0, 4, 6]);
});

test('what comes beyond what can be begun is refused, at its own pace; reads and other tokens have turns of their own', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { begun, send } = started();
  for (let count = 0; count < 65; count += 1) send('PUT', 'flood');
  vi.advanceTimersByTime(301);
  const surplus = Array.from({ length: 20 }, () => send('PUT', 'flood'));
  const others = [send('GET', 'flood'), send('PUT', 'other'), send('GET', 'flood', '/page?x=1')];
  vi.advanceTimersByTime(5);
  expect(begun).toEqual(surplus.slice(0, begun.length));
  expect(begun.length).toBeGreaterThan(5);
  expect(begun.length).toBeLessThan(15);
  vi.advanceTimersByTime(5);
  vi.useRealTimers();
  expect(begun).toEqual(surplus);
  await new Promise(setImmediate);
  expect(begun.slice(20)).toEqual(expect.arrayContaining(others));
  expect(begun.filter(isSurplus)).toEqual(surplus);
});

test('a crowd at a page that needs no token leaves other pages, and calls without a token, their turn', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { begun, send } = started();
  for (let count = 0; count < 65; count += 1) send('GET', undefined, '/page');
  vi.advanceTimersByTime(301);
  const others = [send('GET'), send('GET', undefined, '/other'), send('GET', undefined, '/page/x')];
  const surplus = send('GET', undefined, '/page');
  expect([...others, surplus].map(isSurplus)).toEqual([false, false, false, true]);
  vi.useRealTimers();
  while (begun.length < 66) await new Promise(setImmediate);
  expect(begun).toEqual(expect.arrayContaining(others));
});
