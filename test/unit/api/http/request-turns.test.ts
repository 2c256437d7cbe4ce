import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isSurplus, beginRequestsInTurn } from '../../../../api/http/request-turns';

/** A server that begins requests in turn, and what it has begun. */
const started = () => {
  const server = createServer();
  const begun: IncomingMessage[] = [];
  const gone = new Set<IncomingMessage>();
  const userOf = (authorization = ''): string | undefined => /^user-\w+/u.exec(authorization)?.[0];
  beginRequestsInTurn(server, (request) => Promise.resolve(void begun.push(request)), new Set(['/page']), userOf);
  const send = (method: string, authorization?: string, url = '/'): IncomingMessage => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method, url, headers: { authorization } });
    const response = new ServerResponse(request);
    Object.defineProperty(response, 'closed', { get: () => gone.has(request) });
    server.emit('request', request, response);
    return request;
  };
  return { server, begun, send, leave: (request: IncomingMessage) => gone.add(request) };
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

test('what comes beyond what can be begun is refused, at its own pace; reads and other users have turns of their own', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { begun, send } = started();
  for (let count = 0; count < 65; count += 1) send('PUT', 'user-flood');
  vi.advanceTimersByTime(301);
  const surplus = Array.from({ length: 20 }, () => send('PUT', 'user-flood'));
  const others = [send('GET', 'user-flood'), send('PUT', 'user-other'), send('GET', 'user-flood', '/page?x=1')];
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

test('all tokens that were never verified share one turn, which is full as that of one user; those of a user share theirs', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { send } = started();
  for (let count = 0; count < 65; count += 1) send('GET', `invented ${count}`);
  for (let count = 0; count < 65; count += 1) send('GET', `user-ada ${count}`);
  vi.advanceTimersByTime(301);
  const more = ['invented 65', undefined, 'user-ada 65', 'user-bob'].map((token) => send('GET', token));
  expect(more.map(isSurplus)).toEqual([true, true, true, false]);
});

test('a page begins at once, however many users have calls that wait', async () => {
  const { begun, send } = started();
  for (let count = 0; count < 1_000; count += 1) send('GET', `user-${count}`);
  const page = send('GET', undefined, '/page');
  while (!begun.includes(page)) await new Promise(setImmediate);
  expect(begun.length).toBeLessThan(10);
});

test('surplus requests keep their pace however many come, and those whose callers have left take none of it', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { begun, send, leave } = started();
  for (let count = 0; count < 65; count += 1) send('PUT', 'user-flood');
  vi.advanceTimersByTime(301);
  const flood = Array.from({ length: 6_000 }, () => send('PUT', 'user-flood'));
  vi.advanceTimersByTime(1_500);
  expect(begun.length).toBeGreaterThan(2_900);
  expect(begun.length).toBeLessThan(3_100);
  for (const request of flood) leave(request);
  const last = send('PUT', 'user-flood');
  vi.advanceTimersByTime(10);
  expect(begun.at(-1)).toBe(last);
});
