import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, type Reply } from '../support/api/call';
import { POINT } from '../support/api/callers';
import { startApi, type Api } from '../support/api/start-api';

const THRESHOLD = `/v1/point-alarm-threshold/${POINT}`;
const lowered = { MAX_CHOICES: 2, MAX_BANDS: 2, MAX_HALS: 2, MAX_TEXT_LENGTH: 4 };
const choice = (answer: string) => ({ answer, status: 2 });
const three = {
  choices: { inspection: { choices: ['a', 'b', 'c'].map(choice) } },
  bands: { bandAlarms: [{}, {}, {}] },
  hals: { halAlarms: ['a', 'b', 'c'].map((label) => ({ label })) },
  textLength: { halAlarms: [{ label: 'abcde' }] },
};

describe('with lowered limits', () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ settings: lowered });
  });
  afterAll(() => api.close());
  beforeEach(() => {
    api.nodes.forget();
  });
  const put = (body: unknown): Promise<Reply> => call(api, { method: 'PUT', path: THRESHOLD, body });
  const patch = (body: unknown): Promise<Reply> => call(api, { method: 'PATCH', path: THRESHOLD, body });
  const get = async (): Promise<unknown> => (await call(api, { method: 'GET', path: THRESHOLD })).json;
  const merged = (threshold: object) =>
    Object.entries(threshold).map(([name, value]: [string, unknown]) => ({ op: 'add', path: `/${name}`, value }));

  test.each([
    ['choices', 'inspection.choices', 'must have at most 2 items'],
    ['bands', 'bandAlarms', 'must have at most 2 items'],
    ['hals', 'halAlarms', 'must have at most 2 items'],
    ['textLength', 'halAlarms.0.label', 'must be text of at most 4 characters'],
  ] as const)('what a patch leaves is held to them as what is PUT: %s', async (limit, name, reason) => {
    const reasons = [{ name, reason }];
    expect(await put(three[limit])).toMatchObject({ status: 400, json: { reasons } });
    expect(await patch(merged(three[limit]))).toMatchObject({ status: 409, json: { reasons } });
    expect(await get()).toEqual({ nodeId: POINT, thresholdType: 0 });
  });

  test('a patch that adds one by one reaches them, and no further', async () => {
    await put({ bandAlarms: [{ label: 'a' }] });
    const add = [{ op: 'add', path: '/bandAlarms/-', value: {} }];
    expect((await patch(add)).status).toBe(200);
    expect((await patch(add)).status).toBe(409);
    expect(await get()).toMatchObject({ bandAlarms: [{ label: 'a' }, {}] });
  });
});

describe('a threshold from before the limits were lowered', () => {
  let [before, after]: [Api | undefined, Api | undefined] = [undefined, undefined];
  const as = (api: Api | undefined): Api => {
    if (api === undefined) throw new Error('not started');
    return api;
  };
  beforeAll(async () => {
    before = await startApi();
    after = await startApi({ settings: lowered, ports: { pointAlarms: before.nodes.port } });
    await call(before, { method: 'PUT', path: THRESHOLD, body: three.bands });
  });
  afterAll(() => Promise.all([as(before).close(), as(after).close()]));
  const patch = (body: unknown): Promise<Reply> => call(as(after), { method: 'PATCH', path: THRESHOLD, body });

  test('is shown as it is, refused when it comes back, and taken once it is within them', async () => {
    const { status, json: shown } = await call(as(after), { method: 'GET', path: THRESHOLD });
    expect([status, shown]).toEqual([200, { nodeId: POINT, ...three.bands }]);
    expect((await call(as(after), { method: 'PUT', path: THRESHOLD, body: shown })).status).toBe(400);
    expect((await patch([{ op: 'test', path: '/bandAlarms/2', value: {} }])).status).toBe(200);
    expect((await patch([{ op: 'add', path: '/fullScale', value: 1 }])).status).toBe(409);
    expect((await patch([{ op: 'remove', path: '/bandAlarms/2' }])).status).toBe(200);
  });
});
