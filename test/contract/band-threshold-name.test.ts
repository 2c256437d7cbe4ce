import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ProblemView } from '../../api/contract/problems/catalogue';
import { isRecord } from '../../workflows/domain/codecs';
import { bandThresholdNames, type BandThresholdName } from '../../workflows/domain/threshold/band';
import { call, type Reply } from '../support/api/call';
import { OTHER_POINT, POINT } from '../support/api/callers';
import { expectDocumented, routeOf } from '../support/api/expect-documented';
import { startApi, type Api } from '../support/api/start-api';
import { decoded } from '../support/reasons-of';

const THRESHOLD = `/v1/point-alarm-threshold/${POINT}`;
const absolute = (value: number) => ({ value, valueType: 1 });
const limits = { unit: 'mm/s', upperAlert: absolute(2), upperDanger: absolute(4) };
const edges = { minFrequency: absolute(10), maxFrequency: absolute(100) };
/** A threshold whose band calls its limits by `name`. */
const naming = (name: BandThresholdName, more: object = {}) => ({
  thresholdType: 0,
  bandAlarms: [{ label: '1x', ...edges, [name]: { ...limits, ...more } }, { label: 'no limits' }],
  halAlarms: [{ label: 'BPFO', upperAlert: 3 }],
  fullScale: 20,
});

describe.each(bandThresholdNames)('with BAND_THRESHOLD_NAME=%s', (name) => {
  const other = bandThresholdNames.find((one) => one !== name) ?? name;
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ settings: { BAND_THRESHOLD_NAME: name } });
  });
  afterAll(() => api.close());
  beforeEach(() => api.nodes.forget());

  const put = (body: unknown, headers = {}): Promise<Reply> =>
    call(api, { method: 'PUT', path: THRESHOLD, body, headers });
  const get = (): Promise<Reply> => call(api, { method: 'GET', path: THRESHOLD });
  const patch = (body: unknown): Promise<Reply> => call(api, { method: 'PATCH', path: THRESHOLD, body });
  const batch = (): Promise<Reply> =>
    call(api, { method: 'POST', path: '/v1/point-alarm-threshold-batch', body: { nodeIDs: [POINT, OTHER_POINT] } });
  const shown = { nodeId: POINT, ...naming(name) };

  test.each(bandThresholdNames)('GET, PATCH and the batch show that name, whichever was PUT: %s', async (given) => {
    const set = await put(naming(given));
    const read = await get();
    const patched = await patch([]);
    const read2 = await batch();
    expect([set.status, read.status, patched.status, read2.status]).toEqual([204, 200, 200, 200]);
    expect(read.json).toEqual(shown);
    expect(patched.json).toEqual(shown);
    expect(read2.json).toEqual({ thresholds: [shown, { nodeId: OTHER_POINT, thresholdType: 0 }] });
    expect([set, read, patched].map(({ headers }) => headers['etag'])).toEqual(['"1"', '"1"', '"1"']);
    expectDocumented(routeOf(api.routes, 'getThreshold'), read);
    expectDocumented(routeOf(api.routes, 'patchThreshold'), patched);
    expectDocumented(routeOf(api.routes, 'getThresholds'), read2);
  });

  test.each(bandThresholdNames)('what does not apply is told in the words of the caller: %s', async (given) => {
    await put(naming(name));
    const reasons = async (...operations: ReadonlyArray<unknown>): Promise<unknown> => {
      const reply = await patch(operations);
      expect(reply.status).toBe(409);
      return (reply.json as { readonly reasons: unknown }).reasons;
    };
    const alert = `/bandAlarms/0/${given}/upperAlert/value`;
    expect(await reasons({ op: 'test', path: alert, value: 9 })).toEqual([
      { name: '0.value', reason: `differs from the current value of ${alert}` },
    ]);
    expect(await reasons({ op: 'remove', path: `/bandAlarms/1/${given}` })).toEqual([
      { name: '0.path', reason: `/bandAlarms/1/${given} does not exist` },
    ]);
    expect(await reasons({ op: 'replace', path: alert, value: 9 })).toEqual([
      { name: `bandAlarms.0.${given}.upperDanger.value`, reason: 'must not be below upperAlert (9)' },
    ]);
    expect(await reasons({ op: 'replace', path: `/bandAlarms/0/${given}/upperAlert/valueType`, value: 3 })).toEqual([
      { name: `bandAlarms.0.${given}.upperAlert`, reason: 'is relative to overall.innerHigh, which is not given' },
    ]);
  });

  test('a thousand reasons about one operation do not have it written out a thousand times', async () => {
    const value = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`0.${index}${'x'.repeat(50)}`, 1]));
    const written = vi.spyOn(JSON, 'stringify');
    onTestFinished(() => written.mockRestore());
    const { status, json } = await patch([{ op: 'add', path: '', value }]);
    const reasons = decoded(ProblemView, json).reasons ?? [];
    expect([status, reasons.length]).toEqual([409, 1_000]);
    expect(reasons[0]).toEqual({ name: `0.0${'x'.repeat(50)}`, reason: 'is not a known property' });
    const ofOperation = written.mock.calls.filter(([one]) => isRecord(one) && one['op'] === 'add');
    expect(ofOperation.length).toBeLessThan(10);
  });

  test('the document that is served says so', async () => {
    const { json } = await call(api, { method: 'GET', path: '/openapi.json', user: null });
    const { BandAlarm, BandAlarmInput } = (json as OpenApi).components.schemas;
    expect(JSON.stringify(BandAlarm)).toContain(`"${name}"`);
    expect(JSON.stringify(BandAlarm)).not.toContain(`"${other}"`);
    for (const either of bandThresholdNames) expect(JSON.stringify(BandAlarmInput)).toContain(`"${either}"`);
    expect(JSON.stringify((json as OpenApi).paths)).toContain(`"${name}":{"unit"`);
  });
});

type OpenApi = { readonly paths: object; readonly components: { readonly schemas: Readonly<Record<string, object>> } };
