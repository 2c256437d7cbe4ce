import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queries } from '../../../workflows/messages';
import { bringUpNodes, eventually, type Nodes } from './nodes';

let nodes: Nodes;
beforeAll(async () => {
  nodes = await bringUpNodes();
});
afterAll(() => nodes.stop());

const bearing = { manufacturer: 'SKF', modelNumber: '6205' };
const threshold = {
  bandAlarms: Array.from({ length: 50 }, (_, index) => ({
    label: `band ${index}`,
    minFrequency: { value: index * 20, valueType: 1 },
    maxFrequency: { value: index * 20 + 40, valueType: 1 },
    overallThreshold: { upperAlert: { value: 1, valueType: 1 }, upperDanger: { value: 100, valueType: 1 } },
  })),
  halAlarms: Array.from({ length: 20 }, (_, index) => ({
    label: ['BPFO', 'BPFI', 'BSF', 'FTF', '1x'][index % 5],
    bearing,
    upperAlert: 50,
  })),
};
const spectrum = (level: number): object => ({
  name: 'recordMeasurement',
  userId: 'tester',
  measurement: {
    measurementId: randomUUID(),
    createdAt: new Date().toISOString(),
    contentType: 'SPECTRUM',
    spectrum: {
      speed: 1_797,
      xUnit: 'Hz',
      yUnit: 'g',
      windowFunction: 'hann',
      coordinates: Array.from({ length: 25_600 }, (_, index) => ({
        x: index * 0.078125,
        y: level * (1 + 0.3 * Math.sin(index * index)),
      })),
    },
  },
});

test('a spectrum of 25,600 lines rates 50 bands and 20 HALs, and again when the threshold changes', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [{ name: 'setThreshold', userId: 'tester', threshold }]);
  await nodes.send(nodeId, [spectrum(0.01)]);
  const first = await nodes.handle(nodeId).query(queries.alarmStatus);
  expect(first.status).toBe(2);
  expect(first.bandAlarms).toHaveLength(50);
  expect(first.halAlarms?.every(({ status, halIndex }) => status === 2 && halIndex !== undefined)).toBe(true);

  const stricter = { bandAlarms: [{ overallThreshold: { upperDanger: { value: 0.1, valueType: 1 } } }] };
  await nodes.send(nodeId, [{ name: 'setThreshold', userId: 'tester', threshold: stricter }]);
  expect(await nodes.handle(nodeId).query(queries.alarmStatus)).toMatchObject({
    status: 4,
    bandAlarms: [{ status: 4, calculatedOverall: { unit: 'g' } }],
  });
  const entries = await eventually(
    () => nodes.entries(nodeId),
    ({ length }) => length === 5,
  );
  expect(JSON.parse(entries[4]?.['data'] ?? '')).toMatchObject({ alarmStatus: 4, alarmsChanged: true });
});

test('a group and a run end by the work of their ratings, long before they have as many commands as others', async () => {
  const nodeId = randomUUID();
  const bandAlarms = [{ minFrequency: { value: 0, valueType: 1 } }];
  await nodes.send(nodeId, [{ name: 'setThreshold', userId: 'tester', threshold: { bandAlarms } }, spectrum(0.01)]);
  for (let count = 1; count <= 8; count += 1) {
    const patches = Array.from({ length: 30 }, (_, at) => ({
      name: 'patchThreshold',
      userId: 'tester',
      operations: [{ op: 'replace', path: '/bandAlarms/0/minFrequency/value', value: count * 30 + at }],
    }));
    const { outcomes, postponed } = await nodes.send(nodeId, patches);
    expect(outcomes.length).toBeLessThan(30);
    expect(postponed).toEqual({ _tag: 'GroupFull' });
  }
  await eventually(
    () => nodes.runs(nodeId),
    (runs) => runs >= 2,
  );
});

test('what a node with a full spectrum carries to its next run stays below 256 KB', async () => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [{ name: 'setThreshold', userId: 'tester', threshold }]);
  for (let count = 0; count < 14; count += 1) await nodes.send(nodeId, [spectrum(0.01 + count / 1_000)]);
  await eventually(
    () => nodes.runs(nodeId),
    (runs) => runs >= 2,
  );
  const { events } = await nodes.handle(nodeId).fetchHistory();
  const carried = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
  expect(carried?.length).toBeGreaterThan(100_000);
  expect(carried?.length).toBeLessThan(256 * 1_024);
});
