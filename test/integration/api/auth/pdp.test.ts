import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { actions } from '../../../../api/ports';
import { startAnsweringServer, type AnsweringServer } from '../../../support/answering-server';
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
import { expectDocumented, routeOf } from '../../../support/api/expect-documented';
import { apiOfTest, type Api } from '../../../support/api/start-api';
import { startCedar, type CedarProcess } from './cedar-process';

const TOKEN = 'the-token-of-the-api';

let cedar: CedarProcess;
/** Stands between the API and the decision point, and keeps what passes. */
let between: AnsweringServer;
let callers: Callers;
beforeAll(async () => {
  callers = await createCallers();
  cedar = await startCedar({ nodes: hierarchy.nodes, token: TOKEN });
  between = await startAnsweringServer(async ({ url = '', headers }, response, body) => {
    const { authorization = '' } = headers;
    const asked = { method: 'POST', headers: { 'Content-Type': 'application/json', authorization }, body };
    const answer = await fetch(`${cedar.url}${url}`, asked);
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
  });
  await cedar.grant(grants.grants);
});
afterAll(async () => {
  await between.close();
  await cedar.remove();
  await callers.remove();
});

/** An API of which nothing is left once the test is over but the callers' files. */
const started = async (): Promise<Api> => {
  const api = await apiOfTest({
    callers: { ...callers, remove: () => Promise.resolve() },
    settings: {
      ...{ AUTHORIZER_URL: between.url, AUTHORIZER_TOKEN: TOKEN, AUTHORIZER_CACHE_MS: 0 },
      ...{ AUTHORIZER_TIMEOUT_MS: 20_000, CALL_DEADLINE_MS: 20_000 },
    },
  });
  between.asked.splice(0);
  return api;
};

const GET_STATUS: Call = { method: 'GET', path: `/v1/alarm-status/${POINT}` };
const user = { type: 'user', id: OWNER };

describe('a call', () => {
  test('is asked for as AuthZEN 1.0 puts it, with the token', async () => {
    const api = await started();
    expect((await call(api, { ...GET_STATUS, user: OWNER })).status).toBe(200);
    expect(between.asked).toMatchObject([
      {
        path: '/access/v1/evaluation',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      },
    ]);
    expect(between.asked[0]?.body).toEqual({
      subject: user,
      action: { name: 'POINT_ALARM_STATUS::GET_ALARM_STATUS' },
      resource: { type: 'node', id: POINT },
    });
    expect(api.logged.join('')).not.toContain(TOKEN);
  });

  test('to each route gets the same answer as by the grants of a file', async () => {
    const [byFile, api] = [await apiOfTest(), await started()];
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
        expectDocumented(routeOf(api.routes, id), reply);
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

test('connections are kept: fifty calls one after the other need one', async () => {
  const api = await started();
  for (let calls = 0; calls < 50; calls += 1) expect((await call(api, GET_STATUS)).status).toBe(200);
  expect(new Set(between.asked.map(({ connection }) => connection)).size).toBe(1);
  expect(between.asked).toHaveLength(50);
});
