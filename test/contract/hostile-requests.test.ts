import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../api/route';
import { exchange } from './setup/call';
import { ADMIN, MACHINE, OTHER_POINT, POINT } from './setup/callers';
import { expectDocumented } from './setup/expect-documented';
import { expectProblem } from './setup/expect-problem';
import { hostileText, hostileValue } from './setup/hostile-values';
import { startApi, type Api } from './setup/start-api';

let api: Api;
let token: string;
beforeAll(async () => {
  api = await startApi();
  token = await api.callers.token(ADMIN);
});
afterAll(() => api.close());

const mostly = <A>(right: A, ...wrong: ReadonlyArray<A>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(right, ...wrong) });

const nodeId = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(POINT, OTHER_POINT) },
  { weight: 1, arbitrary: fc.constantFrom(MACHINE, '%', '%00', '..', '%2e%2e%2f', '__proto__') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }).map(encodeURIComponent) },
);

const headerText = fc.string({
  maxLength: 140,
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
});
const visible = headerText.map((text) => text.replaceAll(/[\x7f-\x9f]/gu, '').trim());

const headersOf = (route: Route) =>
  fc.record(
    {
      Authorization: mostly(`Bearer ${token}`, token, 'Bearer', 'Basic eDp5', `Bearer ${token}x`, ''),
      'Content-Type': mostly(route.body?.mediaType ?? 'application/json', 'text/plain', 'application/json', ';', ''),
      'Content-Encoding': mostly('identity', 'gzip', 'x'),
      'Idempotency-Key': visible,
      'If-Match': fc.oneof(visible, fc.constantFrom('*', '"0"', '"1","2"', 'W/"0"')),
      'X-Request-Id': visible,
      Expect: mostly('100-continue'),
    },
    { requiredKeys: ['Authorization', 'Content-Type'] },
  );

const requestsTo = (route: Route) =>
  fc.record({
    path: nodeId.map((id) => route.path.replace(':nodeId', id)),
    headers: headersOf(route),
    bytes: fc.option(
      hostileValue(route.body?.schema ?? {}).chain((value) => hostileText(value)),
      { freq: 9, nil: undefined },
    ),
    isChunked: fc.boolean(),
  });

const ids = ['setThreshold', 'patchThreshold', 'getThreshold', 'getThresholds', 'getAlarmStatus', 'updateAlarmStatus', 'setExternalAlarm']; // prettier-ignore

test.each(ids)('%s answers any request as documented, never with a fault of its own', async (id) => {
  const route = api.routes.find((one) => one.id === id);
  if (route === undefined) throw new Error(id);
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(requestsTo(route), async ({ path, headers, bytes, isChunked }) => {
      const length = isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': bytes?.length ?? 0 };
      const reply = await exchange(api, route.method, path, { ...headers, ...length }, bytes);
      seen.add(reply.status);
      expect(reply.status, reply.text).toBeLessThan(500);
      if (reply.status >= 400) {
        const { type } = reply.json as { readonly type: string };
        expectProblem(reply, { status: reply.status, type: type.replace('/problems/', '') });
      }
      if (reply.status !== 404) expectDocumented(route, reply);
    }),
    { numRuns: 200 },
  );
  expect(seen.size).toBeGreaterThan(2);
});
