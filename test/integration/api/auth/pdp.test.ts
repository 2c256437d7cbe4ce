import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { actions } from '../../../../api/ports';
import { call, type Call } from '../../../support/api/call';
import {
  ADMIN,
  createCallers,
  grants,
  hierarchy,
  MACHINE,
  NOBODY,
  OTHER_POINT,
  OWNER,
  POINT,
  STRANGER,
  type Callers,
} from '../../../support/api/callers';
import { expectDocumented } from '../../../support/api/expect-documented';
import { startApi, type Api } from '../../../support/api/start-api';
import { startBetween, type Between } from './between';
import { startCedar, type CedarProcess } from './cedar-process';

const TOKEN = 'the-token-of-the-api';

let cedar: CedarProcess;
let between: Between;
let callers: Callers;
beforeAll(async () => {
  callers = await createCallers();
  cedar = await startCedar({ nodes: hierarchy.nodes, token: TOKEN });
  between = await startBetween(cedar.url);
  await cedar.grant(grants.grants);
});
afterAll(async () => {
  await between.close();
  await cedar.remove();
  await callers.remove();
});

/** An API of which nothing is left once the test is over but the callers' files. */
const started = async (cacheMs = 0, whose = callers): Promise<Api> => {
  const api = await startApi({
    callers: { ...whose, remove: () => Promise.resolve() },
    settings: {
      ...{ AUTHORIZER_URL: between.url, AUTHORIZER_TOKEN: TOKEN, AUTHORIZER_CACHE_MS: cacheMs },
      ...{ AUTHORIZER_TIMEOUT_MS: 20_000, CALL_DEADLINE_MS: 20_000 },
    },
  });
  onTestFinished(() => api.close());
  between.passed.splice(0);
  return api;
};

const GET_STATUS: Call = { method: 'GET', path: `/v1/alarm-status/${POINT}` };
const batchOf = (nodeIDs: ReadonlyArray<string>): Call => ({
  method: 'POST',
  path: '/v1/point-alarm-threshold-batch',
  body: { nodeIDs },
});
const user = { type: 'user', id: OWNER };

describe('a call', () => {
  test('is asked for as AuthZEN 1.0 puts it, with the token', async () => {
    const api = await started();
    expect((await call(api, { ...GET_STATUS, user: OWNER })).status).toBe(200);
    expect(between.passed).toMatchObject([
      {
        path: '/access/v1/evaluation',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      },
    ]);
    expect(between.passed[0]?.body).toEqual({
      subject: user,
      action: { name: 'POINT_ALARM_STATUS::GET_ALARM_STATUS' },
      resource: { type: 'node', id: POINT },
    });
    expect(api.logged.join('')).not.toContain(TOKEN);
  });

  test('to each route gets the same answer as by the grants of a file', async () => {
    const [byFile, api] = [await startApi(), await started()];
    onTestFinished(() => byFile.close());
    for (const { id, method, path, body: { examples } = { examples: {} } } of api.routes) {
      for (const [who, node] of [ADMIN, OWNER, NOBODY].flatMap((one) =>
        [POINT, OTHER_POINT, MACHINE, STRANGER].map((other) => [one, other] as const),
      )) {
        const body = id === 'getThresholds' ? { nodeIDs: [node] } : Object.values(examples)[0];
        const one: Call = { method, path: path.replace(':nodeId', node), body, user: who };
        const [expected, reply] = [await call(byFile, one), await call(api, one)];
        expect([reply.status, violationsIn(reply.json)], `${id} ${who} ${node}`).toEqual([
          expected.status,
          violationsIn(expected.json),
        ]);
        expectDocumented(
          api.routes.find((route) => route.id === id)!,
          reply,
        );
      }
    }
  });

  test('is allowed on what lies below a granted node', async () => {
    const api = await started();
    onTestFinished(() => cedar.grant(grants.grants));
    await cedar.grant([{ user: NOBODY, actions: [actions[3]], node: MACHINE }]);
    expect((await call(api, { ...GET_STATUS, user: NOBODY })).status).toBe(200);
    const reply = await call(api, { ...GET_STATUS, user: OWNER });
    expect(violationsIn(reply.json)).toEqual([{ action: actions[3], resource: POINT }]);
  });
});

const violationsIn = (json: unknown): unknown =>
  typeof json === 'object' && json !== null && 'violations' in json ? json.violations : undefined;

test('a thousand nodes are one question of less than 100 KB, and none while its answer holds', async () => {
  const points = Array.from({ length: 1_000 }, () => randomUUID());
  const many = await createCallers({ nodes: points.map((id) => ({ id, type: 'measurement_point' })) });
  onTestFinished(() => many.remove());
  const api = await started(60_000, many);
  const asked = performance.now();
  const first = await call(api, batchOf(points));
  const took = performance.now() - asked;
  expect(first.status).toBe(200);
  expect(between.passed.map(({ path }) => path)).toEqual(['/access/v1/evaluations']);
  expect(Number(between.passed[0]?.headers['content-length'])).toBeLessThan(100_000);
  expect((between.passed[0]?.body as { evaluations: [] }).evaluations).toHaveLength(1_001);
  const again = performance.now();
  expect((await call(api, batchOf(points))).status).toBe(200);
  console.info(
    `1,000 nodes: ${Math.round(took)} ms asked, ${Math.round(performance.now() - again)} ms kept; ${between.passed[0]?.headers['content-length']} bytes`,
  );
  expect((await call(api, { method: 'GET', path: `/v1/point-alarm-threshold/${points[999]}` })).status).toBe(200);
  expect(between.passed).toHaveLength(1);
  const metrics = await call(api, { method: 'GET', path: '/metrics', user: null });
  expect(metrics.text).toContain('point_alarm_pdp_duration_seconds_count{endpoint="evaluations",outcome="answered"} 1');
  expect(metrics.text).toContain('point_alarm_decisions_total{source="kept"} 1002');
});

test('connections are kept: fifty calls one after the other need one', async () => {
  const api = await started();
  for (let calls = 0; calls < 50; calls += 1) expect((await call(api, GET_STATUS)).status).toBe(200);
  expect(new Set(between.passed.map(({ connection }) => connection)).size).toBe(1);
  expect(between.passed).toHaveLength(50);
});
