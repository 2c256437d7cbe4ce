import { describe, expect, test } from 'vitest';
import type { ApiSettings } from '../../process/settings';
import { call, type Call, type Reply } from '../support/api/call';
import { OTHER_POINT, POINT } from '../support/api/callers';
import { apiOfTest } from '../support/api/start-api';
import { spectrum } from '../support/measurements';

const THRESHOLD = `/v1/point-alarm-threshold/${POINT}`;
const choice = (answer: string) => ({ answer, status: 2 });
const three = {
  choices: { inspection: { choices: ['a', 'b', 'c'].map(choice) } },
  bands: { bandAlarms: [{}, {}, {}] },
  hals: { halAlarms: ['a', 'b', 'c'].map((label) => ({ label })) },
  text: { halAlarms: [{ label: 'abcde' }] },
};
const merged = (threshold: object) =>
  Object.entries(threshold).map(([name, value]: [string, unknown]) => ({ op: 'add', path: `/${name}`, value }));

/** Calls an API of the test with these limits alone lowered. */
const withLimits = async (settings: Partial<ApiSettings>) => {
  const api = await apiOfTest({ settings });
  return (one: Call): Promise<Reply> => call(api, one);
};

describe('with a lowered limit', () => {
  test.each<readonly [Partial<ApiSettings>, object, string, string]>([
    [{ MAX_CHOICES: 2 }, three.choices, 'inspection.choices', 'must have at most 2 items'],
    [{ MAX_BANDS: 2 }, three.bands, 'bandAlarms', 'must have at most 2 items'],
    [{ MAX_HALS: 2 }, three.hals, 'halAlarms', 'must have at most 2 items'],
    [{ MAX_TEXT_LENGTH: 4 }, three.text, 'halAlarms.0.label', 'must be text of at most 4 characters'],
  ])('%j, what a patch leaves is held to it as what is PUT', async (lowered, body, name, reason) => {
    const send = await withLimits(lowered);
    const reasons = [{ name, reason }];
    expect(await send({ method: 'PUT', path: THRESHOLD, body })).toMatchObject({ status: 400, json: { reasons } });
    const patched = await send({ method: 'PATCH', path: THRESHOLD, body: merged(body) });
    expect(patched).toMatchObject({ status: 409, json: { reasons } });
    const { json } = await send({ method: 'GET', path: THRESHOLD });
    expect(json).toEqual({ nodeId: POINT, thresholdType: 0 });
  });

  const lines = [1, 2, 3].map((x) => ({ x, y: 0 }));
  const measure: Call = { method: 'PUT', path: `/v1/alarm-status/${POINT}`, body: spectrum(lines) };
  const batch: Call = {
    method: 'POST',
    path: '/v1/point-alarm-threshold-batch',
    body: { nodeIDs: [POINT, OTHER_POINT, POINT] },
  };
  const patch: Call = { method: 'PATCH', path: THRESHOLD, body: merged({ fullScale: 1, rateOfChange: {} }) };
  test.each<readonly [Partial<ApiSettings>, Call, number, string]>([
    [{ MAX_SPECTRUM_LINES: 2 }, measure, 400, '2 items'],
    [{ MAX_BATCH_NODES: 2 }, batch, 400, '2 items'],
    [{ MAX_PATCH_OPERATIONS: 1 }, patch, 400, '1 item'],
    [{ MAX_PATCH_BYTES: 64 }, patch, 413, '64 bytes'],
    [{ MAX_BODY_BYTES: 64 }, { method: 'PUT', path: THRESHOLD, body: three.choices }, 413, '64 bytes'],
  ])('%j, what exceeds it is refused, and nothing else', async (lowered, one, status, limit) => {
    const reply = await (await withLimits(lowered))(one);
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(limit)]);
    expect((await (await withLimits({}))(one)).status).toBeLessThan(300);
  });
});

test('a threshold from before the limits were lowered is shown as it is, refused when it comes back, and taken once it is within them', async () => {
  const before = await apiOfTest();
  const after = await apiOfTest({ settings: { MAX_BANDS: 2 }, ports: { pointAlarms: before.nodes.port } });
  const patch = (body: unknown): Promise<Reply> => call(after, { method: 'PATCH', path: THRESHOLD, body });
  await call(before, { method: 'PUT', path: THRESHOLD, body: three.bands });
  const { status, json: shown } = await call(after, { method: 'GET', path: THRESHOLD });
  expect([status, shown]).toEqual([200, { nodeId: POINT, ...three.bands }]);
  expect((await call(after, { method: 'PUT', path: THRESHOLD, body: shown })).status).toBe(400);
  expect((await patch([{ op: 'test', path: '/bandAlarms/2', value: {} }])).status).toBe(200);
  expect((await patch([{ op: 'add', path: '/fullScale', value: 1 }])).status).toBe(409);
  expect((await patch([{ op: 'remove', path: '/bandAlarms/2' }])).status).toBe(200);
});
