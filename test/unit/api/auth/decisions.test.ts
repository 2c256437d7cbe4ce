import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPdp } from '../../../../api/auth/authorizer';
import type { Permission } from '../../../../api/ports';
import { settingsWith } from '../../../support/api/settings';
import { recordedLog } from '../../../support/recorded-log';
import { type DecisionServer, startDecisionServer } from './decision-server';
import { until } from './tokens';

const GET_STATUS = 'POINT_ALARM_STATUS::GET_ALARM_STATUS';
const wanted = (...nodes: ReadonlyArray<string>): ReadonlyArray<Permission> =>
  nodes.map((resource) => ({ action: GET_STATUS, resource }));

let server: DecisionServer;
const open: { readonly close: () => void }[] = [];
beforeEach(async () => {
  server = await startDecisionServer();
});
afterEach(async () => {
  open.splice(0).forEach(({ close }) => close());
  await server.close();
});

const decisionPoint = (cacheMs: number, { timeoutMs = 5_000, path = '' } = {}) => {
  const registry = new Registry();
  const { log, records } = recordedLog();
  const times = { AUTHORIZER_TIMEOUT_MS: timeoutMs, AUTHORIZER_CACHE_MS: cacheMs };
  const made = createPdp({ ...settingsWith(times), AUTHORIZER_URL: server.url + path }, log, registry);
  open.push(made);
  const told = async (user: string, ...nodes: ReadonlyArray<string>) => {
    const found = await made.violations(user, wanted(...nodes))();
    return E.isRight(found) ? found.right.map(({ resource }) => resource) : found.left._tag;
  };
  return { made, told, records, registry };
};

/** Keeps every answer back until it is let go, by its place in the order of questions. */
const held = (): ServerResponse[] => {
  const responses: ServerResponse[] = [];
  server.answer((_, response) => responses.push(response));
  return responses;
};
const say = (response: ServerResponse | undefined, decision: boolean): void =>
  void response?.end(JSON.stringify({ decision }));

describe('equal questions', () => {
  test('at once are one', async () => {
    const { told, registry } = decisionPoint(5_000);
    const answers = await Promise.all(Array.from({ length: 50 }, () => told('ada', 'pump')));
    expect(answers).toEqual(Array(50).fill([]));
    expect(server.asked).toHaveLength(1);
    expect(await registry.getSingleMetricAsString('point_alarm_decisions_total')).toContain('{source="shared"} 49');
  });

  test('within one call are one', async () => {
    server.answer({ evaluations: [{ decision: true }, { decision: false }] });
    const { told } = decisionPoint(0);
    expect(await told('ada', 'pump', 'motor', 'pump', 'motor')).toEqual(['motor', 'motor']);
    expect(server.asked).toHaveLength(1);
  });

  test('are not shared, nor kept, where nothing is kept', async () => {
    const { told } = decisionPoint(0);
    await Promise.all([told('ada', 'pump'), told('ada', 'pump')]);
    await told('ada', 'pump');
    expect(server.asked).toHaveLength(3);
  });

  test('share no answer that was asked for longer ago than answers hold', async () => {
    const responses = held();
    const { told } = decisionPoint(200);
    const first = told('ada', 'pump');
    await until(() => responses.length === 1);
    await sleep(250);
    const second = told('ada', 'pump');
    await until(() => responses.length === 2);
    say(responses[1], false);
    expect(await second).toEqual(['pump']);
    say(responses[0], true);
    expect(await first).toEqual([]);
    expect(await told('ada', 'pump')).toEqual(['pump']); // the older answer, which came later, is not the one that is kept
    expect(server.asked).toHaveLength(2);
  });

  test('share a failure, which is not kept', async () => {
    server.answer({});
    const { told } = decisionPoint(5_000);
    expect(await Promise.all([told('ada', 'pump'), told('ada', 'pump')])).toEqual(['Unavailable', 'Unavailable']);
    expect(server.asked).toHaveLength(1);
    server.answer({ decision: true });
    expect(await told('ada', 'pump')).toEqual([]);
  });
});

describe('an answer', () => {
  test('holds from the moment of the question', async () => {
    const responses = held();
    const { told } = decisionPoint(300);
    const first = told('ada', 'pump');
    await until(() => responses.length === 1);
    await sleep(350);
    say(responses[0], true);
    expect(await first).toEqual([]);
    server.answer({ decision: false });
    expect(await told('ada', 'pump')).toEqual(['pump']);
  });

  test('is of its user, its action and its node alone', async () => {
    const { made, told } = decisionPoint(5_000);
    await told('ada', 'pump');
    server.answer({ decision: false });
    const another = [{ action: 'POINT_ALARM_STATUS::UPDATE_ALARM_STATUS', resource: 'pump' }] as const;
    expect(await made.violations('ada', another)()).toEqual(E.right(another));
    expect(await told('bob', 'pump')).toEqual(['pump']);
    expect(await told('Ada', 'pump')).toEqual(['pump']);
    expect(await told('ada', 'motor')).toEqual(['motor']);
    expect(await told('pump ada', 'x')).toEqual(['x']);
    expect(await told('ada', 'pump')).toEqual([]);
  });

  test('to some of a batch leaves a question for the others', async () => {
    const { told } = decisionPoint(5_000);
    await told('ada', 'pump');
    server.answer({ evaluations: [{ decision: false }, { decision: true }] });
    expect(await told('ada', 'motor', 'pump', 'line')).toEqual(['motor']);
    expect(server.asked[1]).toMatchObject({
      evaluations: [{ resource: { id: 'motor' } }, { resource: { id: 'line' } }],
    });
    expect(await told('ada', 'line')).toEqual([]);
    expect(server.asked).toHaveLength(2);
  });
});

test('questions go below the path of the URL', async () => {
  await decisionPoint(0, { path: '/tenants/acme/?key=1' }).told('ada', 'pump');
  expect(server.paths).toEqual(['/tenants/acme/access/v1/evaluation?key=1']);
});

test('a kept connection that was ended meanwhile costs no call its answer', async () => {
  const { told } = decisionPoint(0);
  const seen = new WeakSet();
  server.answer(({ socket }, response) => {
    if (seen.has(socket)) socket.destroy();
    else response.end('{"decision":true}');
    seen.add(socket);
  });
  for (let calls = 0; calls < 10; calls += 1) expect(await told('ada', 'pump')).toEqual([]);
});

test('a server that hangs is not sent a connection a call, and serves again once it wakes up', async () => {
  const responses = held();
  const { told, records } = decisionPoint(0, { timeoutMs: 2_000 });
  const asked = performance.now();
  const all = await Promise.all(Array.from({ length: 2_000 }, (_, index) => told('ada', `${index}`)));
  const took = performance.now() - asked;
  expect(new Set(all)).toEqual(new Set(['Unavailable']));
  expect(took).toBeLessThan(4_500);
  expect(server.connections().most).toBe(64);
  expect(records.map(({ msg }) => msg)).toEqual(['the policy decision point is unavailable']);
  responses.splice(0);
  server.answer({ decision: true });
  expect(await told('ada', 'pump')).toEqual([]);
  console.info(`2,000 calls to a server that hangs: ${Math.round(took)} ms, ${JSON.stringify(server.connections())}`);
});
