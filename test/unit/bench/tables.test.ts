import { expect, test } from 'vitest';
import type { Goal, Row } from '../../../bench/measure';
import { createRecorder } from '../../../bench/recorder';
import { tablesOf } from '../../../bench/report';

const row = (side: string, round: number, rate: number, goals: ReadonlyArray<Goal> = []): Row => ({
  ...{ section: 'spread', load: '300 nodes, 64 callers', side, round, goals },
  figures: { 'Calls/s': rate, 'p50 ms': 10, 'p99 ms': 20, failed: 0, 'cores API': 0.4 },
});
const goal: Goal = { what: 'Half', figure: 'of the baseline', bound: 'at least', wish: 0.5 };

test('a table shows the medians of the rounds, and the service as a share of the baseline of the same round', () => {
  const rows = [row('baseline', 1, 100), row('service', 1, 90), row('baseline', 2, 300), row('service', 2, 60)];
  const [, , baseline, service] = (tablesOf([...rows, row('baseline', 3, 200)])['spread'] ?? '').split('\n');
  expect(baseline).toMatch(/^\| 300 nodes, 64 callers \| baseline \| 200 \| {2}\| 10 \| 20 \|/u);
  expect(service).toMatch(/^\| 300 nodes, 64 callers \| service \| 75 \| 0\.55 \| 10 \| 20 \| API 0\.40 \|/u);
});

test('a goal is shown with each round, and in how many of them it was reached', () => {
  const rounds = [90, 60, 20].flatMap((rate, at) => [
    row('baseline', at + 1, 100),
    row('service', at + 1, rate, [goal]),
  ]);
  const others: ReadonlyArray<Goal> = [
    { what: 'Rate', figure: 'Calls/s', bound: 'at least', wish: 200, unit: '/s' },
    { what: 'Time', figure: 'p50 ms', bound: 'at most', wish: 10, unit: ' ms' },
  ];
  expect((tablesOf([...rounds, row('flapping', 1, 50, others)])['goals'] ?? '').split('\n').slice(2)).toEqual([
    '| Half | at least 0.50 | 0.60 | 0.90, 0.60, 0.20 | in 2 of 3 |',
    '| Rate | at least 200/s | 50/s | 50 | no |',
    '| Time | at most 10 ms | 10 ms | 10 | yes |',
  ]);
});

test('times are those of calls that were answered, failures are counted by reason, and a cut begins anew', () => {
  const recorder = createRecorder();
  for (let ms = 1; ms <= 100; ms += 1) recorder.record(ms, '');
  recorder.record(5_000, '503');
  expect(recorder.cut()).toEqual({ calls: 100, failed: 1, p50: 50, p99: 99, max: 100 });
  expect(recorder.cut()).toEqual({ calls: 0, failed: 0, p50: 0, p99: 0, max: 0 });
  expect(recorder.faults).toEqual({ 503: 1 });
});
