import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPdp } from '../../../../api/auth/authorizer';
import type { Permission } from '../../../../api/ports';
import type { ApiSettings } from '../../../../process/settings';
import { startAnsweringServer, type Answer, type AnsweringServer } from '../../../support/answering-server';
import { settingsWith } from '../../../support/api/settings';
import { recordedLog } from '../../../support/recorded-log';

const TIMEOUT_MS = 1_000;
const one: ReadonlyArray<Permission> = [{ action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: 'a' }];
const yes = { decision: true };

let server: AnsweringServer;
let elsewhere: AnsweringServer;
let authorizer: ReturnType<typeof createPdp>;
const decisionPoint = (times: Partial<ApiSettings>, { log } = recordedLog(), path = '') =>
  createPdp(
    server.url + path,
    settingsWith({ AUTHORIZER_TOKEN: 'geheim', AUTHORIZER_CACHE_MS: 0, ...times }),
    log,
    new Registry(),
  );
beforeAll(async () => {
  [server, elsewhere] = [await startAnsweringServer(yes), await startAnsweringServer(yes)];
  authorizer = decisionPoint({ AUTHORIZER_TIMEOUT_MS: TIMEOUT_MS });
});
afterAll(async () => {
  authorizer.close();
  await Promise.all([server.close(), elsewhere.close()]);
});

const outcomeOf = async (how: Answer) => {
  server.answer(how);
  const found = await authorizer.violations('ada', one)();
  return E.isRight(found) ? found.right : found.left._tag;
};

describe('no yes, and no no, is', () => {
  test.each([201, 202, 204, 206, 400, 401, 403, 404, 409, 413, 429, 500, 502, 503])('the status %s', async (status) => {
    expect(await outcomeOf((_, response) => response.writeHead(status).end(JSON.stringify(yes)))).toBe('Unavailable');
  });

  test.each([301, 302, 303, 307, 308])('a redirect by %s: nobody goes there', async (status) => {
    const headers = { Location: `${elsewhere.url}/access/v1/evaluation` };
    expect(await outcomeOf((_, response) => response.writeHead(status, headers).end(JSON.stringify(yes)))).toBe(
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
    ['too much', (_, response) => response.end(`{"decision":true,"context":"${'x'.repeat(5_000_000)}"}`)],
    [
      'an answer compressed unasked',
      (_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(Buffer.from([0x1f, 0x8b, 8, 0])),
    ],
  ])('%s', async (_, how) => expect(await outcomeOf(how)).toBe('Unavailable'));
});

/** A question that ended at its deadline, or at the head of an error. */
const GIVEN_UP = /^(?:did not answer within 1000 ms|answered 500)$/u;
/** Why a server that is asked within `times` has no answer, as the log tells it. */
const toldWithin = async (times: Partial<ApiSettings>, how: Answer): Promise<unknown> => {
  const { log, records } = recordedLog();
  const asking = decisionPoint(times, { log, records });
  server.answer(how);
  expect(await asking.violations('ada', one)()).toSatisfy(E.isLeft);
  asking.close();
  return records[0]?.['reason'];
};

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
  ])('%s', async (_, how) => expect(await toldWithin({ AUTHORIZER_TIMEOUT_MS: TIMEOUT_MS }, how)).toMatch(GIVEN_UP));

  test('a server that says nothing, where a call may not take as long as a question', async () => {
    const shorter = { AUTHORIZER_TIMEOUT_MS: 60_000, CALL_DEADLINE_MS: TIMEOUT_MS };
    expect(await toldWithin(shorter, () => undefined)).toMatch(GIVEN_UP);
  });

  test('all of them: no connection is left of what did not end in time', async () => {
    await expect.poll(() => server.connections().open, { timeout: 8_000 }).toBe(0);
    expect(await outcomeOf(yes)).toEqual([]);
  });
});

test('questions go below the path of the URL', async () => {
  const below = decisionPoint({}, recordedLog(), '/tenants/acme/?key=1');
  server.asked.splice(0);
  await below.violations('ada', one)();
  expect(server.asked.map(({ path }) => path)).toEqual(['/tenants/acme/access/v1/evaluation?key=1']);
  below.close();
});

test('a kept connection that was ended meanwhile costs no call its answer', async () => {
  const seen = new WeakSet();
  for (let calls = 0; calls < 10; calls += 1)
    expect(
      await outcomeOf(({ socket }, response) => {
        if (seen.has(socket)) socket.destroy();
        else response.end('{"decision":true}');
        seen.add(socket);
      }),
    ).toEqual([]);
});

test('a server that hangs is not sent a connection a call, and serves again once it wakes up', async () => {
  const { log, records } = recordedLog();
  const patient = decisionPoint({ AUTHORIZER_TIMEOUT_MS: 2_000 }, { log, records });
  const before = server.connections().open;
  server.answer(() => undefined);
  const all = await Promise.all(Array.from({ length: 2_000 }, () => patient.violations('ada', one)()));
  expect(all.every(E.isLeft)).toBe(true);
  expect(server.connections().most).toBeLessThanOrEqual(before + 64);
  expect(records.map(({ msg }) => msg)).toEqual(['the policy decision point is unavailable']);
  server.answer(yes);
  expect(await patient.violations('ada', one)()).toEqual(E.right([]));
  patient.close();
});

test('a crowd of one user leaves others their answers in time; what it asks beyond its share is refused as its own', async () => {
  const busy = decisionPoint({ AUTHORIZER_TIMEOUT_MS: 10 * TIMEOUT_MS }); // on a slow machine, too, the crowd still waits
  server.answer((_, response) => setTimeout(() => response.end(JSON.stringify(yes)), 200));
  let asked = 0;
  const askAs = (userId: string) =>
    busy.violations(userId, [{ action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: String((asked += 1)) }])();
  const crowd = Array.from({ length: 700 }, () => askAs('crowd'));
  const bystander = await askAs('bystander');
  await sleep(400);
  const [surplus, another] = await Promise.all([askAs('crowd'), askAs('bystander')]);
  expect([bystander, another]).toEqual([E.right([]), E.right([])]);
  expect(surplus).toEqual(E.left({ _tag: 'Overloaded', retryAfter: 1, isOwnShare: true }));
  await Promise.all(crowd);
  busy.close();
});
