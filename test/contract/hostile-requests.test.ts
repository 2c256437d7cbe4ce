import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange } from '../support/api/call';
import { ADMIN } from '../support/api/callers';
import { expectDocumented } from '../support/api/expect-documented';
import { expectProblem } from '../support/api/expect-problem';
import { hostileCalls } from '../support/api/hostile-calls';
import { startApi, type Api } from '../support/api/start-api';

let api: Api;
let token: string;
beforeAll(async () => {
  api = await startApi();
  token = await api.callers.token(ADMIN);
});
afterAll(() => api.close());

const ids = ['setThreshold', 'patchThreshold', 'getThreshold', 'getThresholds', 'getAlarmStatus', 'updateAlarmStatus', 'setExternalAlarm']; // prettier-ignore

test.each(ids)('%s answers any request as documented, never with a fault of its own', async (id) => {
  const route = api.routes.find((one) => one.id === id);
  if (route === undefined) throw new Error(id);
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(hostileCalls(route, token), async ({ path, headers, bytes, isChunked }) => {
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
