import { randomUUID } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { routesOf } from '../../api/routes';
import type { Route } from '../../api/contract/route';
import { withStack } from '../chaos/with-stack';
import { mutated, validBodies } from '../support/api/bodies';
import { exchange, type Reply } from '../support/api/call';
import { POINT } from '../support/api/callers';
import { expectDocumented } from '../support/api/expect-documented';
import { expectProblem } from '../support/api/expect-problem';
import { hostileCalls, type HostileCall } from '../support/api/hostile-calls';
import { settingsWith } from '../support/api/settings';
import { budget, progress, several, testTimeoutMs, fuzzParameters } from './budget';

/** Refusals of HTTP itself, which no route tells of. */
const OF_HTTP = new Set([404, 408, 413, 417, 431]);

const routes = routesOf(settingsWith(), { kindOf: () => 'measurement_point' });
const { stack, tail } = withStack();

/** Every user calls once, so that an event names its call. */
const outcomes = new Map<string, number>();

const portOf = (): number => Number(new URL(stack().apis[Math.random() < 0.5 ? 0 : 1].url).port);

const check = (route: Route, reply: Reply): void => {
  expect(reply.status, reply.text).toBeLessThan(500);
  if (reply.status >= 400) {
    const type = /"\/problems\/([a-z-]+)"/u.exec(reply.text)?.[1] ?? 'none';
    expectProblem(reply, { status: reply.status, type });
  }
  if (!OF_HTTP.has(reply.status)) expectDocumented(route, reply);
};

/** Calls as one of a kind does: the bytes of a body, and the headers beside the token. */
const callWith = async (route: Route, value: unknown): Promise<number> => {
  const userId = randomUUID();
  const bytes = value === undefined ? undefined : Buffer.from(JSON.stringify(value));
  const headers = {
    Authorization: await stack().signToken(userId),
    ...(bytes !== undefined && { 'Content-Type': route.body?.mediaType ?? '', 'Content-Length': bytes.length }),
  };
  const path = route.path.replace(':nodeId', POINT);
  const reply = await exchange({ port: portOf() }, route.method, path, headers, bytes);
  outcomes.set(userId, reply.status);
  check(route, reply);
  return reply.status;
};

describe.each(routes)('$id', (route) => {
  test(
    'takes what is valid',
    async () => {
      const tell = progress(`${route.id}, valid`);
      const statuses = new Map<number, number>();
      const take = async (value: unknown): Promise<void> => {
        const status = await callWith(route, value);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect([200, 204, ...(route.id === 'patchThreshold' ? [409] : [])]).toContain(status);
        tell();
      };
      const property = fc.asyncProperty(several(validBodies(route)), async (values) => {
        await Promise.all(values.map(take));
      });
      await fc.assert(property, fuzzParameters(1));
      expect(statuses.get(route.method === 'PUT' ? 204 : 200)).toBeGreaterThan(0);
    },
    testTimeoutMs,
  );

  test(
    'answers whatever comes as documented',
    async () => {
      const tell = progress(`${route.id}, hostile`);
      const PLACE = 'token-of-a-user';
      const attempt = async ({ path, headers, bytes, isChunked }: HostileCall): Promise<void> => {
        const userId = randomUUID();
        const given = headers['Authorization']?.replace(PLACE, await stack().signToken(userId));
        const length = isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': bytes?.length ?? 0 };
        const sent = { ...headers, ...(given !== undefined && { Authorization: given }), ...length };
        const reply = await exchange({ port: portOf() }, route.method, path, sent, bytes);
        outcomes.set(userId, reply.status);
        check(route, reply);
        tell();
      };
      const property = fc.asyncProperty(several(hostileCalls(route, PLACE)), async (calls) => {
        await Promise.all(calls.map(attempt));
      });
      await fc.assert(property, fuzzParameters(2));
    },
    testTimeoutMs,
  );
});

describe.each(routes.filter(({ body }) => body !== undefined))('$id', (route) =>
  test(
    'takes or refuses what one change was made to, as documented',
    async () => {
      const tell = progress(`${route.id}, changed`);
      const property = fc.asyncProperty(several(validBodies(route).chain(mutated)), async (values) => {
        await Promise.all(
          values.map(async (value) => {
            await callWith(route, value);
            tell();
          }),
        );
      });
      await fc.assert(property, fuzzParameters(2));
    },
    testTimeoutMs,
  ),
);

describe('in the end', () => {
  test('every process is alive and ready', async () => {
    for (const { url } of [...stack().apis, ...stack().workers]) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
  });

  test('every event was caused by a call that was taken, and every refused call left none', async () => {
    const last = randomUUID();
    const route = routes.find(({ id }) => id === 'setExternalAlarm');
    if (route === undefined) throw new Error('there is no such route');
    const path = route.path.replace(':nodeId', POINT);
    const headers = {
      Authorization: await stack().signToken(last),
      'Content-Type': 'application/json',
      'Content-Length': 13,
    };
    expect((await exchange({ port: portOf() }, 'PUT', path, headers, Buffer.from('{"status": 3}'))).status).toBe(204);
    outcomes.set(last, 204);
    await expect.poll(() => tail().arrivals.has(last), { timeout: 30_000 }).toBe(true);
    const events = await tail().read();
    console.info(`${outcomes.size} calls, ${events.length} events, seed ${budget.seed}`);
    expect(events.length).toBeGreaterThan(10);
    for (const { userId = '' } of events) expect([200, 204], userId).toContain(outcomes.get(userId));
  });
});
