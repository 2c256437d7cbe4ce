import { expect, test } from 'vitest';
import { createTimes, quantilesOf, record } from '../../../dev/bench/times';
import type { Row } from '../../../dev/bench/measure';
import { tablesOf } from '../../../dev/bench/report';

const row = (side: string, round: number, rate: number): Row => ({
  ...{ section: 'spread', load: '300 nodes, 64 callers', side, round },
  figures: { 'Calls/s': rate, 'p50 ms': 10, 'p99 ms': 20, failed: 0, 'cores API': 0.4 },
});

test('a table shows the medians of the rounds, and the service as a share of the baseline of the same round', () => {
  const rows = [row('baseline', 1, 100), row('service', 1, 90), row('baseline', 2, 300), row('service', 2, 60)];
  const [, , baseline, service] = (tablesOf([...rows, row('baseline', 3, 200)])['spread'] ?? '').split('\n');
  expect(baseline).toMatch(/^\| 300 nodes, 64 callers \| baseline \| 200 \| {2}\| 10 \| 20 \|/u);
  expect(service).toMatch(/^\| 300 nodes, 64 callers \| service \| 75 \| 0\.55 \| 10 \| 20 \| API 0\.40 \|/u);
});

test('a row is marked if a single round gives reason to doubt it', () => {
  const rows = [row('service', 1, 100), row('service', 2, 90), row('service', 3, 80)];
  const [, , marked] = (
    tablesOf([...rows, { ...row('service', 4, 70), figures: { failed: 3, 'cores others': 0.9 } }])['spread'] ?? ''
  ).split('\n');
  expect(marked).toContain('3 failed; others took 0.90 cores');
});

test('the cost of a call is the processor time of each process by the calls, and of a second where none came', () => {
  const costOf = (load: string, rate: number): Row => ({
    ...{ section: 'cost', load, side: 'service', round: 1 },
    figures: { 'Calls/s': rate, 'cores load': 0.1, 'cores API': 0.2, 'cores Temporal': 0.4, 'cores others': 0.1 },
  });
  const [heads, , idle, paced] = (tablesOf([costOf('idle', 0), costOf('40 per second', 40)])['cost'] ?? '').split('\n');
  expect(heads).toMatch(/^\| Load \| Side \| Calls\/s \| API \| Temporal \| ms \|/u);
  expect(idle).toMatch(/^\| idle \| service \| 0 \| 200 \| 400 \| 600 \|/u);
  expect(paced).toMatch(/^\| 40 per second \| service \| 40 \| 5 \| 10 \| 15 \|/u);
});

test('of times the median, the 99th percentile and the longest are known, to a hundredth of a millisecond', () => {
  const times = createTimes();
  expect(quantilesOf(times)).toEqual({ p50: 0, p99: 0, max: 0 });
  for (let ms = 1; ms <= 100; ms += 1) record(times, ms);
  expect(quantilesOf(times)).toEqual({ p50: 50, p99: 99, max: 100 });
});
