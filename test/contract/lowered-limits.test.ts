import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiSettings } from '../../process/settings';
import { call, type Call, type Reply } from '../support/api/call';
import { OTHER_POINT, POINT } from '../support/api/callers';
import { startApi, type Api } from '../support/api/start-api';
import { spectrum } from '../support/measurements';

const THRESHOLD = `/v1/point-alarm-threshold/${POINT}`;
const choice = (answer: string) => ({ answer, status: 2 });
const three = {
  choices: { inspection: { choices: ['a', 'b', 'c'].map(choice) } },
  bands: { bandAlarms: [{}, {}, {}] },
  hals: { halAlarms: ['a', 'b', 'c'].map((label) => ({ label })) },
  text: { halAlarms: [{ label: 'abcde' }] },
};
const measurement = spectrum([1, 2, 3].map((x) => ({ x, y: 0 })));
const merged = (threshold: object) =>
  Object.entries(threshold).map(([name, value]: [string, unknown]) => ({ op: 'add', path: `/${name}`, value }));

/** An API with these limits alone lowered, for as long as `work` takes. */
const withLimits = async (
  settings: Partial<ApiSettings>,
  work: (send: (one: Call) => Promise<Reply>) => Promise<void>,
) => {
  const api = await startApi({ settings });
  await work((one) => call(api, one)).finally(api.close);
};

describe('with a lowered limit', () => {
  test.each<readonly [Partial<ApiSettings>, object, string, string]>([
    [{ MAX_CHOICES: 2 }, three.choices, 'inspection.choices', 'must have at most 2 items'],
    [{ MAX_BANDS: 2 }, three.bands, 'bandAlarms', 'must have at most 2 items'],
    [{ MAX_HALS: 2 }, three.hals, 'halAlarms', 'must have at most 2 items'],
    [{ MAX_TEXT_LENGTH: 4 }, three.text, 'halAlarms.0.label', 'must be text of at most 4 characters'],
  ])('%j, what a patch leaves is held to it as what is PUT', async (lowered, body, name, reason) => {
    await withLimits(lowered, async (send) => {
      const reasons = [{ name, reason }];
      expect(await send({ method: 'PUT', path: THRESHOLD, body })).toMatchObject({ status: 400, json: { reasons } });
      const patched = await send({ method: 'PATCH', path: THRESHOLD, body: merged(body) });
      expect(patched).toMatchObject({ status: 409, json: { reasons } });
      const { json } = await send({ method: 'GET', path: THRESHOLD });
      expect(json).toEqual({ nodeId: POINT, thresholdType: 0 });
    });
  });

  const batch: Call = {
    method: 'POST',
    path: '/v1/point-alarm-threshold-batch',
    body: { nodeIDs: [POINT, OTHER_POINT, POINT] },
  };
  const patch: Call = { method: 'PATCH', path: THRESHOLD, body: merged({ fullScale: 1, rateOfChange: {} }) };
  test.each<readonly [Partial<ApiSettings>, Call, number, string]>([
    [
      { MAX_SPECTRUM_LINES: 2 },
      { method: 'PUT', path: `/v1/alarm-status/${POINT}`, body: measurement },
      400,
      '2 items',
    ],
    [{ MAX_BATCH_NODES: 2 }, batch, 400, '2 items'],
    [{ MAX_PATCH_OPERATIONS: 1 }, patch, 400, '1 item'],
    [{ MAX_PATCH_BYTES: 64 }, patch, 413, '64 bytes'],
    [{ MAX_BODY_BYTES: 64 }, { method: 'PUT', path: THRESHOLD, body: three.choices }, 413, '64 bytes'],
  ])('%j, what exceeds it is refused, and nothing else', async (lowered, one, status, limit) => {
    await withLimits(lowered, async (send) => {
      const reply = await send(one);
      expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(limit)]);
    });
    await withLimits({}, async (send) => expect((await send(one)).status).toBeLessThan(300));
  });
});

let [before, after]: [Api | undefined, Api | undefined] = [undefined, undefined];
const as = (api: Api | undefined): Api => {
  if (api === undefined) throw new Error('not started');
  return api;
};
beforeAll(async () => {
  before = await startApi();
  after = await startApi({ settings: { MAX_BANDS: 2 }, ports: { pointAlarms: before.nodes.port } });
  await call(before, { method: 'PUT', path: THRESHOLD, body: three.bands });
});
afterAll(() => Promise.all([as(before).close(), as(after).close()]));
const patch = (body: unknown): Promise<Reply> => call(as(after), { method: 'PATCH', path: THRESHOLD, body });

test('a threshold from before the limits were lowered is shown as it is, refused when it comes back, and taken once it is within them', async () => {
  const { status, json: shown } = await call(as(after), { method: 'GET', path: THRESHOLD });
  expect([status, shown]).toEqual([200, { nodeId: POINT, ...three.bands }]);
  expect((await call(as(after), { method: 'PUT', path: THRESHOLD, body: shown })).status).toBe(400);
  expect((await patch([{ op: 'test', path: '/bandAlarms/2', value: {} }])).status).toBe(200);
  expect((await patch([{ op: 'add', path: '/fullScale', value: 1 }])).status).toBe(409);
  expect((await patch([{ op: 'remove', path: '/bandAlarms/2' }])).status).toBe(200);
});
