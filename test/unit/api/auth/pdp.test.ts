import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPdp } from '../../../../api/auth/authorizer';
import type { Permission } from '../../../../api/ports';
import type { ApiSettings } from '../../../../process/settings';
import { settingsWith } from '../../../support/api/settings';
import { recordedLog } from '../../../support/recorded-log';
import { type Answer, type DecisionServer, startDecisionServer } from './decision-server';

const TIMEOUT_MS = 1_000;
const one: ReadonlyArray<Permission> = [{ action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: 'a' }];
const two: ReadonlyArray<Permission> = [...one, { action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: 'b' }];
const yes = { decision: true };
const no = { decision: false };

let server: DecisionServer;
let elsewhere: DecisionServer;
let authorizer: ReturnType<typeof createPdp>;
const { log, records } = recordedLog();
const decisionPoint = (times: Partial<ApiSettings>, to = log) =>
  createPdp(
    {
      ...settingsWith({ AUTHORIZER_TOKEN: 'geheim', AUTHORIZER_CACHE_MS: 0, ...times }),
      AUTHORIZER_URL: server.url,
    },
    to,
    new Registry(),
  );
beforeAll(async () => {
  [server, elsewhere] = [await startDecisionServer(), await startDecisionServer()];
  authorizer = decisionPoint({ AUTHORIZER_TIMEOUT_MS: TIMEOUT_MS });
});
afterAll(async () => {
  authorizer.close();
  await Promise.all([server.close(), elsewhere.close()]);
});

const told = async (how: Answer, wanted = one) => {
  server.answer(how);
  const found = await authorizer.violations('ada', wanted)();
  return E.isRight(found) ? found.right : found.left._tag;
};

test('a clear answer is taken, whatever it says besides', async () => {
  expect(await told(yes)).toEqual([]);
  expect(await told(no)).toEqual(one);
  expect(await told({ ...yes, context: { reason: { en: 'fine' } }, evaluations: [no] })).toEqual([]);
  expect(await told({ evaluations: [yes, { ...no, context: { error: { status: 404 } } }] }, two)).toEqual([two[1]]);
  expect(await told({ evaluations: [no, yes], decision: false }, two)).toEqual([two[0]]);
});

const nested = `{"decision":true,"context":${'['.repeat(70)}${']'.repeat(70)}}`;
const unclear: ReadonlyArray<readonly [string, Answer]> = [
  ['nothing', ''],
  ['null', 'null'],
  ['true', 'true'],
  ['a list', '[{"decision":true}]'],
  ['an empty object', '{}'],
  ['"true"', '{"decision":"true"}'],
  ['1', '{"decision":1}'],
  ['a decision of null', '{"decision":null}'],
  ['a decision in a list', '{"decision":[true]}'],
  ['a decision that is an object', '{"decision":{"decision":true}}'],
  ['a decision of another name', '{"Decision":true,"allowed":true,"result":true}'],
  ['a decision by a prototype', '{"__proto__":{"decision":true}}'],
  ['two decisions', '{"decision":false,"decision":true}'],
  ['two decisions, one written otherwise', String.raw`{"decision":false,"\u0064ecision":true}`],
  ['the answer to several', '{"evaluations":[{"decision":true}]}'],
  ['half of it', '{"decision":tr'],
  ['two answers', '{"decision":true}{"decision":true}'],
  ['a page', '<html>{"decision":true}</html>'],
  ['what is no UTF-8', Buffer.from([...Buffer.from('{"decision":true,"context":"'), 0xff, 0x22, 0x7d])],
  ['an infinite number', '{"decision":true,"context":{"n":1e999}}'],
  ['what nests too deep', nested],
  ['too much', `{"decision":true,"context":"${'x'.repeat(5_000_000)}"}`],
];

const unclearForTwo: ReadonlyArray<readonly [string, Answer]> = [
  ['a single decision', yes],
  ['no decisions', { evaluations: [] }],
  ['one decision of two', { evaluations: [yes] }],
  ['three decisions of two', { evaluations: [yes, yes, yes] }],
  ['a decision and null', { evaluations: [yes, null] }],
  ['a decision and a text', { evaluations: [yes, { decision: 'true' }] }],
  ['a decision and an error', { evaluations: [yes, { error: { status: 500 } }] }],
  ['decisions without their objects', { evaluations: [true, true] }],
  ['decisions that are no list', { evaluations: { 0: yes, 1: yes, length: 2 } }],
  ['a list alone', [yes, yes]],
  [
    'lists of decisions twice',
    '{"evaluations":[{"decision":true}],"evaluations":[{"decision":true},{"decision":true}]}',
  ],
];

describe('no yes, and no no, is', () => {
  test.each(unclear)('%s', async (_, how) => {
    expect(await told(how)).toBe('Unavailable');
  });

  test.each(unclearForTwo)('%s, to a question of two', async (_, how) => {
    expect(await told(how, two)).toBe('Unavailable');
  });

  test.each([201, 202, 204, 206, 400, 401, 403, 404, 409, 413, 429, 500, 502, 503])('the status %s', async (status) => {
    expect(await told((_, response) => response.writeHead(status).end(JSON.stringify(yes)))).toBe('Unavailable');
  });

  test.each([301, 302, 303, 307, 308])('a redirect by %s: nobody goes there', async (status) => {
    elsewhere.answer(yes);
    const headers = { Location: `${elsewhere.url}/access/v1/evaluation` };
    expect(await told((_, response) => response.writeHead(status, headers).end(JSON.stringify(yes)))).toBe(
      'Unavailable',
    );
    expect(elsewhere.connections().ever).toBe(0);
  });

  test.each<readonly [string, Answer]>([
    ['a connection that ends', ({ socket }) => socket.destroy()],
    [
      'a connection that ends within the answer',
      ({ socket }, response) => {
        response.writeHead(200, { 'Content-Length': 100 });
        response.write('{"decision":true}', () => socket.destroy());
      },
    ],
    ['what is no HTTP', ({ socket }) => socket.end('{"decision":true}')],
    [
      'an answer compressed unasked',
      (_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(Buffer.from([0x1f, 0x8b, 8, 0])),
    ],
  ])('%s', async (_, how) => {
    expect(await told(how)).toBe('Unavailable');
  });
});

describe('the deadline holds for', () => {
  test.each<readonly [string, Answer]>([
    ['a server that says nothing', () => undefined],
    ['a head without a body', (_, response) => void response.writeHead(200).flushHeaders()],
    [
      'a body that comes byte by byte',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const bytes = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(bytes));
      },
    ],
    [
      'the body of an error that never ends, which nobody waits for',
      (_, response) => {
        response.writeHead(500);
        const bytes = setInterval(() => response.write('x'.repeat(1_000)), 20);
        response.on('close', () => clearInterval(bytes));
      },
    ],
  ])('%s', async (_, how) => {
    const asked = performance.now();
    expect(await told(how)).toBe('Unavailable');
    expect(performance.now() - asked).toBeLessThan(TIMEOUT_MS + 700);
  });

  test('a server that says nothing, where a call may not take as long as a question', async () => {
    const hasty = decisionPoint({ AUTHORIZER_TIMEOUT_MS: 60_000, CALL_DEADLINE_MS: TIMEOUT_MS }, recordedLog().log);
    server.answer(() => undefined);
    const asked = performance.now();
    expect(E.isLeft(await hasty.violations('ada', one)())).toBe(true);
    expect(performance.now() - asked).toBeLessThan(TIMEOUT_MS + 700);
    hasty.close();
  });

  test('all of them: no connection is left of what did not end in time', async () => {
    await expect.poll(() => server.connections().open, { timeout: 8_000 }).toBe(0);
    expect(await told(yes)).toEqual([]);
  });
});

test('the log says once that it is unavailable and once that it is back, for each endpoint, and never the token', () => {
  const changes = records.filter(({ endpoint }) => endpoint === 'evaluation').map(({ level, msg }) => [level, msg]);
  expect(changes.length).toBeGreaterThan(0);
  expect(changes.length).toBeLessThan(12);
  changes.forEach((change, index) =>
    expect(change).toEqual(
      index % 2 === 0
        ? ['warn', 'the policy decision point is unavailable']
        : ['info', 'the policy decision point is available'],
    ),
  );
  expect(JSON.stringify(records)).not.toContain('geheim');
});
