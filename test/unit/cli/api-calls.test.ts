import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as E from 'fp-ts/Either';
import { afterEach, describe, expect, test } from 'vitest';
import { createApiCalls, type ApiCalls } from '../../../cli/api-calls';
import { linesOf, type Trouble } from '../../../cli/trouble';
import { anId } from '../../scenario';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(code, headers).end(body);

/** The calls to an API that gives these answers in turn, the last one again and again; and the requests that it got. */
const apiWith = async (answers: ReadonlyArray<Answer>, patienceMs = 5_000, signal = new AbortController().signal) => {
  const got: IncomingMessage[] = [];
  const listening = createServer((request, response) => {
    const answer = answers[Math.min(got.length, answers.length - 1)];
    got.push(request);
    request.resume().on('end', () => answer?.(response, request));
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const calls: ApiCalls = createApiCalls({ url, token: 'a.b.c' }, { ms: patienceMs, signal });
  return { calls, got };
};
const troubleOf = (answer: E.Either<Trouble, unknown>): Trouble => {
  if (E.isRight(answer)) throw new Error('it was done');
  return answer.left;
};

describe('a write', () => {
  const busy = status(503, { 'Retry-After': '0' });
  const crowded = status(429, { 'Retry-After': '0' });
  const cut: Answer = (_, request) => request.socket.destroy();

  test('is sent again under the same key while the service is busy, crowded or gone', async () => {
    const { calls, got } = await apiWith([busy, crowded, cut, status(504), status(204)]);
    expect(await calls.setThreshold(anId(1), {})).toEqual(E.right(undefined));
    expect(got).toHaveLength(5);
    expect(new Set(got.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(got[0]?.headers).toMatchObject({ authorization: 'Bearer a.b.c', 'content-type': 'application/json' });
  });

  test('keeps to the pause that it is asked for', async () => {
    const { calls } = await apiWith([status(503, { 'Retry-After': '1' }), status(204)]);
    const began = performance.now();
    expect(E.isRight(await calls.setThreshold(anId(1), {}))).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  test('is given up where the pause goes beyond its patience', async () => {
    const { calls, got } = await apiWith([status(503, { 'Retry-After': '60' })]);
    expect(troubleOf(await calls.setThreshold(anId(1), {}))).toMatchObject({
      _tag: 'Refused',
      problem: { status: 503 },
    });
    expect(got).toHaveLength(1);
  });

  test('is given up at the signal', async () => {
    const controller = new AbortController();
    const { calls, got } = await apiWith([status(503, { 'Retry-After': '2' })], 60_000, controller.signal);
    const write = calls.setThreshold(anId(1), {});
    setTimeout(() => controller.abort(), 100);
    expect(troubleOf(await write)._tag).toBe('Refused');
    expect(got.length).toBeLessThanOrEqual(2);
  });

  test.each([400, 403, 404, 409, 500])('that is answered by %i is not sent again', async (code) => {
    const { calls, got } = await apiWith([status(code, { 'Retry-After': '0' })]);
    expect(E.isLeft(await calls.patchThreshold(anId(1), []))).toBe(true);
    expect(got).toHaveLength(1);
  });
});

describe('an answer', () => {
  const threshold = { nodeId: anId(1), thresholdType: 2, overall: { outerHigh: 7 } };
  const json = (body: unknown) => status(200, { 'Content-Type': 'application/json' }, JSON.stringify(body));

  test('may hold members of a later release', async () => {
    const { calls } = await apiWith([json({ ...threshold, mood: 'good' })]);
    expect(await calls.threshold(anId(1))).toEqual(E.right(threshold));
  });

  test.each<[name: string, answer: Answer]>([
    ['a page', status(200, { 'Content-Type': 'text/html' }, '<html>')],
    ['another document', json({ status: 'ok' })],
    ['a redirection', status(302, { Location: 'http://127.0.0.1:2/' })],
  ])('that is %s comes from something else', async (_name, answer) => {
    const { calls } = await apiWith([answer], 0);
    expect(troubleOf(await calls.threshold(anId(1)))).toMatchObject({ _tag: 'NotReachable' });
  });

  test('that is a problem is told with its reasons and what is lacking', async () => {
    const problem = {
      type: '/problems/unauthorized-resource',
      title: 'The user may not do this',
      violations: [{ action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: anId(1) }],
    };
    const { calls } = await apiWith([status(403, {}, JSON.stringify(problem))]);
    expect(linesOf(troubleOf(await calls.alarmStatus(anId(1))))).toEqual([
      'The user may not do this (403)',
      `  lacks POINT_ALARM_STATUS::GET_ALARM_STATUS for ${anId(1)}`,
    ]);
  });
});
