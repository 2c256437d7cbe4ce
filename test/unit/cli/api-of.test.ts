import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as E from 'fp-ts/Either';
import { afterEach, describe, expect, test } from 'vitest';
import { unjudged } from '../../../client';
import { apiOf, type Api } from '../../../cli/api-of';
import { exitCodeOf, linesOf, type CommandFailure } from '../../../cli/command-failure';
import { anId } from '../../support/scenario';

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

interface Plan {
  readonly patienceMs?: number;
  readonly interrupted?: AbortSignal;
  readonly report?: (line: string) => void;
}

/** An API that gives these answers in turn, the last one again and again; and the requests that it got. */
const apiWith = async (
  answers: ReadonlyArray<Answer>,
  { patienceMs = 5_000, interrupted = new AbortController().signal, report = () => undefined }: Plan = {},
) => {
  const got: Array<{ readonly headers: IncomingHttpHeaders; readonly body: string }> = [];
  const listening = createServer((request, response) => {
    void text(request).then((body) => {
      const answer = answers[Math.min(got.length, answers.length - 1)];
      got.push({ headers: request.headers, body });
      answer?.(response, request);
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const settings = { api: { url, token: 'a.b.c' }, redis: { url: '' }, partitions: 1, replicasRequired: 0, stream: '' };
  const api: Api = apiOf({ settings, interrupted }, { patienceMs, report });
  return { api, got };
};
const failureOf = (answer: E.Either<CommandFailure, unknown>): CommandFailure => {
  if (E.isRight(answer)) throw new Error('it was done');
  return answer.left;
};

const set = (api: Api, document: unknown = {}) => api((client) => client.setThreshold(anId(1), unjudged(document)));
const get = (api: Api) => api((client) => client.getThreshold(anId(1)));

describe('a write', () => {
  const busy = status(503, { 'Retry-After': '0' });
  const crowded = status(429, { 'Retry-After': '0' });
  const cut: Answer = (_, request) => request.socket.destroy();

  test('is sent again under the same key while the service is busy, crowded or gone', async () => {
    const { api, got } = await apiWith([busy, crowded, cut, status(504), status(204)]);
    expect(await set(api)).toEqual(E.right({}));
    expect(got).toHaveLength(5);
    expect(new Set(got.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(got[0]?.headers).toMatchObject({ authorization: 'Bearer a.b.c', 'content-type': 'application/json' });
  });

  test('keeps to the pause that it is asked for', async () => {
    const { api } = await apiWith([status(503, { 'Retry-After': '1' }), status(204)]);
    const began = performance.now();
    expect(E.isRight(await set(api))).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  test('is given up where the pause goes beyond its patience', async () => {
    const { api, got } = await apiWith([status(503, { 'Retry-After': '60' })]);
    expect(failureOf(await set(api))).toMatchObject({ _tag: 'Refused', problem: { status: 503 } });
    expect(got).toHaveLength(1);
  });

  test('may take longer than its patience for its only try', async () => {
    const slow: Answer = (response) => setTimeout(() => response.writeHead(204).end(), 200);
    const { api } = await apiWith([slow], { patienceMs: 0 });
    expect(E.isRight(await set(api))).toBe(true);
  });

  test.each<[name: string, answer: Answer]>([
    ['between two tries', status(503, { 'Retry-After': '9' })],
    ['while nobody answers', () => undefined],
  ])('is ended by Ctrl-C %s, and says that it may have been done', async (_name, answer) => {
    const controller = new AbortController();
    const { api, got } = await apiWith([answer], { patienceMs: 60_000, interrupted: controller.signal });
    const began = performance.now();
    const write = set(api);
    setTimeout(() => controller.abort(), 100);
    const failure = failureOf(await write);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(exitCodeOf(failure)).toBe(130);
    expect(linesOf(failure)).toEqual(['interrupted; the change may happen all the same']);
    expect(got).toHaveLength(1);
  });

  test.each([400, 403, 404, 409, 500])('that is answered by %i is not sent again', async (code) => {
    const { api, got } = await apiWith([status(code, { 'Retry-After': '0' })]);
    expect(E.isLeft(await api((client) => client.patchThreshold(anId(1), [])))).toBe(true);
    expect(got).toHaveLength(1);
  });

  test('is sent as it is, whatever it holds', async () => {
    const { api, got } = await apiWith([status(204)]);
    await set(api, { colour: ['red'] });
    await set(api, null);
    expect(got.map(({ body }) => body)).toEqual(['{"colour":["red"]}', 'null']);
  });
});

test('that nothing is answered for some seconds is told once, with the reason', async () => {
  const told: string[] = [];
  const busy = status(503, { 'Retry-After': '3' });
  const { api } = await apiWith([busy, busy, busy, status(204)], {
    patienceMs: 8_000,
    report: (line) => told.push(line),
  });
  const answers = await Promise.all([set(api), set(api), set(api)]);
  expect(answers.every(E.isRight)).toBe(true);
  expect(told).toEqual([
    expect.stringMatching(/^waiting up to 8 s: The answer is no problem document \(503\); again in [4-5] s$/u),
  ]);
});

test('what an overloaded service says is told, and nothing of it steers the terminal', async () => {
  const told: string[] = [];
  const problem = {
    ...{ type: '/problems/unavailable', title: 'The service cannot take the call now', status: 503, requestId: 'x' },
    ...{ detail: 'More calls wait than can be served in time.\u001b[2J', instance: '/', mayHaveChanged: false },
  };
  const busy = status(503, { 'Retry-After': '3', 'Content-Type': 'application/problem+json' }, JSON.stringify(problem));
  const { api } = await apiWith([busy, status(204)], { patienceMs: 8_000, report: (line) => told.push(line) });
  expect(E.isRight(await set(api))).toBe(true);
  expect(told.join()).toMatch(
    /^waiting up to 8 s: .* \(503\): More calls wait than can be served in time\.\?\[2J; again in [4-5] s$/u,
  );
});

describe('an answer', () => {
  const threshold = { nodeId: anId(1), thresholdType: 2, overall: { outerHigh: 7 } };
  const json = (body: unknown) => status(200, { 'Content-Type': 'application/json' }, JSON.stringify(body));

  test('may hold members of a later release', async () => {
    const { api } = await apiWith([json({ ...threshold, mood: 'good' })]);
    expect(await get(api)).toEqual(E.right({ threshold }));
  });

  test.each<[name: string, answer: Answer, code: number]>([
    ['a page', status(200, { 'Content-Type': 'text/html' }, '<html>'), 3],
    ['another document', json({ status: 'ok' }), 3],
    ['a redirection', status(302, { Location: 'http://127.0.0.1:2/' }), 3],
    ['a refusal by something in front', status(403, {}, 'Forbidden'), 4],
    ['a fault of something in front', status(502, {}, '<html>'), 1],
  ])('that is %s has its exit code', async (_name, answer, code) => {
    const { api } = await apiWith([answer], { patienceMs: 0 });
    expect(exitCodeOf(failureOf(await get(api)))).toBe(code);
  });

  test('that is a problem is told with its reasons and what is lacking', async () => {
    const problem = {
      type: '/problems/unauthorized-resource',
      title: 'The user may not do this',
      status: 403,
      detail: '',
      instance: '',
      requestId: '',
      violations: [{ action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: anId(1) }],
    };
    const { api } = await apiWith([status(403, {}, JSON.stringify(problem))]);
    expect(linesOf(failureOf(await api((client) => client.getAlarmStatus(anId(1)))))).toEqual([
      'The user may not do this (403)',
      `  lacks POINT_ALARM_STATUS::GET_ALARM_STATUS for ${anId(1)}`,
    ]);
  });
});
