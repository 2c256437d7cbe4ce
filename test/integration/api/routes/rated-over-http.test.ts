import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { AlarmStatusView } from '../../../../workflows/domain/alarm/alarm-status';
import { ThresholdsView, ThresholdView } from '../../../../workflows/domain/threshold/threshold';
import { connectRedis, type RedisLink } from '../../../../stream/connection';
import { projectRoot } from '../../../../stack/project-root';
import { bandThresholdNames, type BandThresholdName } from '../../../../workflows/domain/threshold/band';
import { alarmStatusView } from '../../../../workflows/domain/node/state';
import { readEntry } from '../../../../stream/entry';
import type { Reply } from '../../../support/api/call';
import { decoded } from '../../../support/reasons-of';
import { nodeAfter, recordMeasurement, setThreshold } from '../../../support/scenario';
import { recordedLog } from '../../../support/recorded-log';
import { eventually } from '../../workflows/nodes';
import { startService, type Service } from '../../../support/service';

interface Measurement extends Readonly<Record<string, unknown>> {
  readonly measurementId: string;
  readonly spectrum: { readonly coordinates: ReadonlyArray<{ readonly x: number; readonly y: number }> };
}

/** A motor whose bearing has a damaged outer race: 6,400 lines in g, by a Hann window. */
const measurement = JSON.parse(readFileSync(join(projectRoot, 'docs/examples/outer-race.json'), 'utf8')) as Measurement;

const absolute = (value: number) => ({ value, valueType: 1 });
const bearing = { manufacturer: 'SKF', modelNumber: '6205' };
const threshold = (name: BandThresholdName, dangerous: number) => ({
  bandAlarms: [
    {
      label: 'around 1x',
      minFrequency: { value: 0.8, valueType: 2 },
      maxFrequency: { value: 1.2, valueType: 2 },
      [name]: { unit: 'g', upperAlert: absolute(0), upperDanger: absolute(1_000) },
    },
    { label: 'all', [name]: { upperDanger: { value: dangerous, valueType: 2 } } },
    { label: 'beyond the lines', minFrequency: absolute(90_000) },
  ],
  halAlarms: [
    { label: 'BPFO', halAlarmType: 'FREQUENCY', bearing, upperAlert: 2, upperDanger: 1_000 },
    { label: 'BPFI', bearing: { ...bearing, modelNumber: '😀'.repeat(512) }, upperAlert: 2 },
    { label: '1x', upperDanger: 1_000_001 },
  ],
  fullScale: 2,
});

let redis: RedisLink;
beforeAll(async () => {
  redis = connectRedis({ url: inject('redisUrl'), log: recordedLog().log, name: 'test' });
  await eventually(redis.answers, (answers) => answers);
});
afterAll(() => redis.close());

describe.each(bandThresholdNames)('bands and HALs over HTTP, their limits named %s', (name) => {
  const PREFIX = 'Acme.Plant';
  let service: Service;
  beforeAll(async () => {
    service = await startService({ BAND_THRESHOLD_NAME: name, EVENT_ATTRIBUTE_PREFIX: PREFIX });
  });
  afterAll(() => service.stop());

  const nodeId = randomUUID();
  const THRESHOLD = `/v1/point-alarm-threshold/${nodeId}`;
  const STATUS = `/v1/alarm-status/${nodeId}`;
  const ask = async (method: string, path: string, body?: unknown, headers = {}): Promise<Reply> => {
    const reply = await service.call({ method, path, body, headers });
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply;
  };
  const statusNow = async () => decoded(AlarmStatusView, (await ask('GET', STATUS)).json);
  const shown = (dangerous: number) => ({ nodeId, ...threshold(name, dangerous) });

  test('are set, rated by a spectrum, read, patched, and PUT back from their event', async () => {
    expect((await ask('PUT', THRESHOLD, threshold('overallThreshold', 1e9))).headers['etag']).toBe('"1"');
    await ask('PUT', STATUS, measurement);

    const status = await statusNow();
    const {
      nodeId: _,
      updatedAt: __,
      ...rated
    } = alarmStatusView(
      nodeAfter([setThreshold(threshold('overallThreshold', 1e9)), recordMeasurement(measurement)]).state,
    );
    expect(status).toMatchObject(rated);
    expect(status).toMatchObject({
      status: 3,
      bandAlarms: [
        { status: 3, label: 'around 1x', maxFrequency: { value: 1.2, valueType: 2 } },
        { status: 2, calculatedOverall: { value: expect.closeTo(energyOfAll(), 9), unit: 'g' } },
        { status: 1, triggeringMeasurement: measurement.measurementId },
      ],
      halAlarms: [
        { status: 3, rpmFactor: expect.closeTo(3.585, 2), numberOfHarmonicsUsed: 9 },
        { status: 1, errorDescription: expect.stringMatching(/^unknown bearing SKF 😀+…$/u) },
        { status: 2 },
      ],
    });

    const read = await ask('GET', THRESHOLD);
    expect(read.json).toEqual(shown(1e9));
    const batch = await ask('POST', '/v1/point-alarm-threshold-batch', { nodeIDs: [nodeId, randomUUID()] });
    expect(decoded(ThresholdsView, batch.json).thresholds[0]).toEqual(decoded(ThresholdView, read.json));

    const patched = await ask('PATCH', THRESHOLD, [
      { op: 'test', path: '/bandAlarms/1/overallThreshold/upperDanger/value', value: 1e9 },
      { op: 'replace', path: '/bandAlarms/1/overallAlarmThreshold/upperDanger/value', value: 0 },
      { op: 'replace', path: '/halAlarms/2/upperDanger', value: 0.5 },
    ]);
    const { halAlarms, ...rest } = shown(0);
    const after = {
      ...rest,
      halAlarms: halAlarms.map((hal) => (hal.label === '1x' ? { ...hal, upperDanger: 0.5 } : hal)),
    };
    expect(patched.json).toEqual(after);
    expect(patched.headers['etag']).toBe('"2"');
    const worse = await statusNow();
    expect(worse).toMatchObject({ status: 4, bandAlarms: [{ status: 3 }, { status: 4 }, { status: 1 }] });
    expect(worse.halAlarms?.map((hal) => hal.status)).toEqual([3, 1, 4]);

    const entries = await eventually(
      async () => ((await redis.client.xRange(service.stream, '-', '+')) ?? []).map(({ message }) => message),
      ({ length }) => length === 5,
    );
    const types = entries.map(({ type }) => type);
    expect(types.filter((type) => type === 'SetPointAlarmThresholdEvent')).toHaveLength(2);
    expect(entries.map((entry) => entry[`${PREFIX}.EventType`])).toEqual(types);
    expect(entries.map((entry) => entry[`${PREFIX}.Aggregate`])).toEqual(types.map(() => nodeId));
    const last = entries.findLast(({ type }) => type === 'SetPointAlarmThresholdEvent') ?? {};
    const { threshold: published, revision } = JSON.parse(last['data'] ?? '') as Readonly<Record<string, unknown>>;
    expect(published).toEqual(after);
    expect(readEntry(last)).toMatchObject(E.right({ revision: 2, threshold: decoded(ThresholdView, after) }));

    const back = await ask('PUT', THRESHOLD, published, { 'If-Match': `"${String(revision)}"` });
    expect([back.status, back.headers['etag']]).toEqual([204, '"3"']);
    expect((await ask('GET', THRESHOLD)).json).toEqual(after);
  });
});

/** The effective value of all lines but the one at 0 Hz, by its definition; 1.5 is the noise bandwidth of a Hann window. */
const energyOfAll = (): number =>
  Math.sqrt(measurement.spectrum.coordinates.reduce((sum, { x, y }) => sum + (x > 0 ? y ** 2 : 0), 0) / 1.5);
