import type { ServerResponse } from 'node:http';
import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { unjudged } from '../../../client';
import { apiOf, createWaiting, type Api } from '../../../cli/api-calls';
import type { CommandFailure } from '../../../cli/failure';
import { startAnsweringServer } from '../../support/answering-server';
import { anId } from '../../support/scenario';

type Answer = (response: ServerResponse) => void;
const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(code, headers).end(body);

interface Plan {
  readonly patienceMs?: number;
  readonly interrupted?: AbortSignal;
  readonly report?: (line: string) => void;
}

/** An API that gives these answers in turn, the last one again and again; and how many it gave. */
const apiWith = async (
  answers: ReadonlyArray<Answer>,
  { patienceMs = 5_000, interrupted = new AbortController().signal, report = () => undefined }: Plan = {},
) => {
  const { url, asked, close } = await startAnsweringServer((_: unknown, response: ServerResponse) =>
    answers[Math.min(asked.length, answers.length) - 1]?.(response),
  );
  onTestFinished(close);
  const settings = { POINT_ALARM_URL: url, POINT_ALARM_TOKEN: 'a.b.c' };
  const api: Api = apiOf({ settings, interrupted }, { patienceMs, report });
  return { api, count: () => asked.length };
};
const failureOf = (answer: E.Either<CommandFailure, unknown>): CommandFailure => {
  if (E.isRight(answer)) throw new Error('it was done');
  return answer.left;
};

const set = (api: Api, document: unknown = {}) => api((client) => client.setThreshold(anId(1), unjudged(document)));
const get = (api: Api) => api((client) => client.getThreshold(anId(1)));

test('a write is ended by Ctrl-C between two tries, and says that it may have been done', async () => {
  const controller = new AbortController();
  const busy: Answer = (...exchange) => {
    status(503, { 'Retry-After': '9' })(...exchange);
    setTimeout(() => controller.abort(), 100);
  };
  const { api, count } = await apiWith([busy], { patienceMs: 60_000, interrupted: controller.signal });
  expect(failureOf(await set(api))).toMatchObject({
    exitCode: 130,
    lines: ['interrupted; the change may happen all the same'],
  });
  expect(count()).toBe(1);
});

test('that nothing is answered for some seconds is told once, with what the service says, which steers no terminal', async () => {
  const reports: string[] = [];
  const problem = {
    ...{ type: '/problems/unavailable', title: 'The service cannot take the call now', status: 503, requestId: 'x' },
    ...{ detail: 'More calls wait than can be served in time.\u001b[2J', instance: '/', mayHaveChanged: false },
  };
  const busy = status(503, { 'Retry-After': '3', 'Content-Type': 'application/problem+json' }, JSON.stringify(problem));
  const { api } = await apiWith([busy, busy, busy, status(204)], {
    patienceMs: 8_000,
    report: (line) => reports.push(line),
  });
  expect((await Promise.all([set(api), set(api), set(api)])).every(E.isRight)).toBe(true);
  expect(reports).toEqual([
    expect.stringMatching(
      /^waiting up to 8 s: .* \(503\): More calls wait than can be served in time\.\?\[2J; again in [4-5] s$/u,
    ),
  ]);
});

describe('an answer', () => {
  const json = (body: unknown) => status(200, { 'Content-Type': 'application/json' }, JSON.stringify(body));

  test.each<[name: string, answer: Answer, code: number]>([
    ['a page', status(200, { 'Content-Type': 'text/html' }, '<html>'), 3],
    ['another document', json({ status: 'ok' }), 3],
    ['a redirection', status(302, { Location: 'http://127.0.0.1:2/' }), 3],
    ['a refusal by something in front', status(403, {}, 'Forbidden'), 4],
    ['a fault of something in front', status(502, {}, '<html>'), 1],
  ])('that is %s has its exit code', async (_name, answer, code) => {
    const { api } = await apiWith([answer], { patienceMs: 0 });
    expect(failureOf(await get(api)).exitCode).toBe(code);
  });

  test('that is a problem is told with its reasons and what is lacking', async () => {
    const problem = {
      ...{ type: '/problems/unauthorized-resource', title: 'The user may not do this', status: 403 },
      ...{ detail: '', instance: '', requestId: '' },
      violations: [{ action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: anId(1) }],
    };
    const { api } = await apiWith([status(403, {}, JSON.stringify(problem))]);
    expect(failureOf(await api((client) => client.getAlarmStatus(anId(1)))).lines).toEqual([
      'The user may not do this (403)',
      `  lacks POINT_ALARM_STATUS::GET_ALARM_STATUS for ${anId(1)}`,
    ]);
  });
});

describe('that calls wait', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const waitingWithReports = () => {
    const reports: string[] = [];
    return { reports, waiting: createWaiting('nobody is there', (why) => reports.push(why)) };
  };

  test('without a reason the first is told, and again after an answer', async () => {
    const { reports, waiting } = waitingWithReports();
    const calls = [waiting.during(after(60_000)), waiting.during(after(5_000))];
    await vi.advanceTimersByTimeAsync(5_000);
    expect(reports).toEqual(['nobody is there']);
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all(calls);
    expect(reports).toHaveLength(2);
  });

  test('nothing is told while answers come, or no call is in flight', async () => {
    const { reports, waiting } = waitingWithReports();
    const long = waiting.during(after(10_000));
    for (let call = 0; call < 10; call += 1) {
      const short = waiting.during(after(1_000));
      await vi.advanceTimersByTimeAsync(1_000);
      await short;
    }
    await long;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reports).toEqual([]);
  });
});
