import { expect, test } from 'vitest';
import { createRecorder } from '../../../bench/load/recorder';
import { marksOf } from '../../../bench/report/cell';
import { medianOf } from '../../../bench/report/summary';
import { tablesOf } from '../../../bench/report/tables';

const row = (side: string, round: number, perSecond: number) => ({
  section: 'spread',
  load: '300 nodes, 64 callers',
  side,
  round,
  figures: { perSecond, p50: 10, p99: 20, failed: 0, 'cores api': 0.4 },
});

test('a table shows the medians of the rounds, and the service as a share of the floor', () => {
  const rows = [row('floor', 1, 100), row('service', 1, 90), row('floor', 2, 300), row('service', 2, 50)];
  const [, , floor, service] = (tablesOf({ rows: [...rows, row('floor', 3, 200)] })['spread'] ?? '').split('\n');
  expect(floor).toMatch(/^\| 300 nodes, 64 callers \| floor \| 200 \| {2}\| 10 \| 20 \|/u);
  expect(service).toMatch(/^\| 300 nodes, 64 callers \| service \| 70 \| 0\.35 \| 10 \| 20 \|.* api 0\.40 \|/u);
});

test('the median of an even number of values lies between the middle two, of none nowhere', () => {
  expect(medianOf([4, 1, 3, 2])).toBe(2.5);
  expect(medianOf([])).toBeNaN();
});

test('times are those of calls that were answered, failures are counted by reason, and a cut begins anew', () => {
  const recorder = createRecorder();
  for (let ms = 1; ms <= 100; ms += 1) recorder.record(ms, '');
  recorder.record(5_000, '503');
  expect(recorder.cut()).toEqual({ calls: 100, failed: 1, p50: 50, p99: 99, max: 100 });
  expect(recorder.cut()).toEqual({ calls: 0, failed: 0, p50: 0, p99: 0, max: 0 });
  expect(recorder.faults).toEqual({ 503: 1 });
});

test.each([
  [{ failed: 3 }, '3 failed'],
  [{ 'cores load': 0.81 }, 'the load generator was busy'],
  [{ 'cores others': 0.5 }, 'others took 0.50 cores'],
  [{ failed: 0, 'cores load': 0.8, 'cores others': 0.2 }, ''],
])('%j is marked by "%s"', (figures, marks) => {
  expect(marksOf(figures)).toBe(marks);
});
