import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { call, type Reply } from '../../../support/api/call';
import { createCallers, grants, hierarchy, POINT, type Callers } from '../../../support/api/callers';
import { expectDocumented } from '../../../support/api/expect-documented';
import { expectProblem } from '../../../support/api/expect-problem';
import { startApi, type Api } from '../../../support/api/start-api';
import { startCedar, type CedarProcess } from './cedar-process';

const TOKEN = 'the-token-of-the-api';
/** Above what a process takes for its first answer on a busy machine. */
const TIMEOUT_MS = 2_500;

let cedar: CedarProcess;
let callers: Callers;
beforeAll(async () => {
  callers = await createCallers();
  cedar = await startCedar({ nodes: hierarchy.nodes, token: TOKEN });
  await cedar.grant(grants.grants);
});
afterAll(async () => {
  await cedar.remove();
  await callers.remove();
});

const started = async (url: string, token = TOKEN): Promise<Api> => {
  const api = await startApi({
    callers: { ...callers, remove: () => Promise.resolve() },
    settings: {
      ...{ AUTHORIZER_URL: url, AUTHORIZER_TOKEN: token, AUTHORIZER_CACHE_MS: 0 },
      ...{ AUTHORIZER_TIMEOUT_MS: TIMEOUT_MS, CALL_DEADLINE_MS: TIMEOUT_MS },
    },
  });
  onTestFinished(() => api.close());
  return api;
};

/** Calls every route with its first example, as one who may do everything. */
const callEach = (api: Api): Promise<ReadonlyArray<Reply>> =>
  Promise.all(
    api.routes.map(async (route) => {
      const example = route.body === undefined ? undefined : Object.values(route.body.examples)[0];
      const body = route.id === 'getThresholds' ? { nodeIDs: [POINT] } : example;
      const reply = await call(api, { method: route.method, path: route.path.replace(':nodeId', POINT), body });
      expectDocumented(route, reply);
      return reply;
    }),
  );

/** Every route answers 503 in time, nothing was changed anywhere, and the process stays ready. */
const expectNobodyKnows = async (api: Api): Promise<void> => {
  const asked = performance.now();
  for (const reply of await callEach(api)) {
    const problem = expectProblem(reply, { status: 503, type: 'unavailable' });
    expect(problem.detail).toBe('The policy decision point does not answer.');
    expect(problem.mayHaveChanged).toBe(false);
    expect(reply.headers['retry-after']).toBe('2');
  }
  expect(performance.now() - asked).toBeLessThan(TIMEOUT_MS + 1_500);
  expect(api.nodes.snapshot()).toBe('[]');
  expect((await call(api, { method: 'GET', path: '/readyz', user: null })).status).toBe(200);
};

/** Every route is allowed, and logs have told of one outage. */
const expectBackAgain = async (api: Api): Promise<void> => {
  await expect
    .poll(async () => (await callEach(api)).every(({ status }) => status < 300), { timeout: 10_000 })
    .toBe(true);
  const told = api.logged.filter((line) => line.includes('"the policy decision point is'));
  for (const endpoint of ['evaluation', 'evaluations']) {
    const ofIt = told.filter((line) => line.includes(`"endpoint":"${endpoint}"`));
    expect(ofIt.map((line) => /is (?:unavailable|available)/u.exec(line)?.[0])).toEqual([
      'is unavailable',
      'is available',
    ]);
  }
};

describe('while the decision point', () => {
  test('is killed, every call is 503; it comes back by itself', async () => {
    const api = await started(cedar.url);
    const statuses = (await callEach(api)).map(({ status }) => status);
    // A PATCH that overtakes the PUT of its threshold does not apply (409), and is allowed.
    expect(statuses.filter((status) => status >= 300 && status !== 409)).toEqual([]);
    const before = api.nodes.snapshot();
    await cedar.kill();
    for (const reply of await callEach(api)) expectProblem(reply, { status: 503, type: 'unavailable' });
    expect(api.nodes.snapshot()).toBe(before);
    await cedar.restart();
    await expectBackAgain(api);
  });

  test('hangs, every call is 503 at the deadline; it comes back by itself', async () => {
    const api = await started(cedar.url);
    cedar.freeze();
    onTestFinished(() => cedar.thaw());
    await expectNobodyKnows(api);
    cedar.thaw();
    await expectBackAgain(api);
  });

  test('does not take the token, every call is 503', async () => {
    const api = await started(cedar.url, 'another');
    await expectNobodyKnows(api);
    expect(api.logged.join('')).toContain('answered 401');
  });

  test('was never there, the API has started, and every call is 503', async () => {
    await expectNobodyKnows(await started('http://127.0.0.1:9'));
  });
});
