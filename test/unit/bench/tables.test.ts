import { expect, test } from 'vitest';
import { createRecorder } from '../../../bench/recorder';
import { tablesOf } from '../../../bench/report';

const row = (side: string, round: number, perSecond: number) => ({
  section: 'spread',
  load: '300 nodes, 64 callers',
  side,
  round,
  figures: { perSecond, p50: 10, p99: 20, failed: 0, 'cores api': 0.4 },
});

test('a table shows the medians of the rounds, and the service as a share of the baseline', () => {
  const rows = [row('baseline', 1, 100), row('service', 1, 90), row('baseline', 2, 300), row('service', 2, 50)];
  const [, , baseline, service] = (tablesOf({ rows: [...rows, row('baseline', 3, 200)] })['spread'] ?? '').split('\n');
  expect(baseline).toMatch(/^\| 300 nodes, 64 callers \| baseline \| 200 \| {2}\| 10 \| 20 \|/u);
  expect(service).toMatch(/^\| 300 nodes, 64 callers \| service \| 70 \| 0\.35 \| 10 \| 20 \|.* api 0\.40 \|/u);
});

test('goals are shown once all are measured: by round, with the baseline of the same round', () => {
  const of = (section: string, load: string, side: string, ...rounds: ReadonlyArray<Record<string, number>>) =>
    rounds.map((figures, index) => ({ section, load, side, round: index + 1, figures }));
  const usual = [100, 100, 100].map((perSecond) => ({ perSecond, p50: 10, p99: 80, 'lag p50': 14, 'lag p99': 90 }));
  const half = [
    ...of('spread', '300 nodes, 64 callers', 'service', { perSecond: 90 }, { perSecond: 99 }, { perSecond: 190 }),
    ...of('spread', '300 nodes, 64 callers', 'baseline', { perSecond: 100 }, { perSecond: 100 }, { perSecond: 200 }),
    ...of('spread', '300 nodes, 64 callers', 'flapping', ...usual),
    ...['service', 'flapping', 'baseline'].flatMap((side) =>
      ['100', '2000'].flatMap((count) => of('spread', `${count} nodes, 64 callers`, side, ...usual)),
    ),
    ...of('spectra', 'spectra of 3200 lines, 32 callers', 'service', ...usual),
    ...of('spectra', 'spectra of 3200 lines, 32 callers', 'baseline', ...usual.map(() => ({ perSecond: 0 }))),
    ...of('hot', '1 node, 16 callers', 'service', ...usual),
    ...of('hot', '1 node, 64 callers', 'service', ...usual),
    ...of('reads', 'GET status, 64 callers', 'baseline', ...usual),
    ...of('reads', 'GET status, 64 callers', 'service', ...usual),
    ...of('reads', 'GET threshold, 64 callers', 'service', ...usual),
    ...of('reads', 'GET status, 64 callers', 'READS=cache', ...usual),
    ...of('reads', 'batch of 100, 1 caller', 'service', ...usual),
    ...of('reads', 'batch of 1000, 1 caller', 'READS=cache', ...usual),
    ...of('lag', '300 nodes, at half of that rate', 'service', ...usual),
    ...of('staleness', 'beside 50 measurements a second', 'READS=cache', ...usual),
    ...of('misses', '20000 nodes in turn, none kept', 'service', { failed: 0 }, { failed: 2 }),
  ];
  expect(tablesOf({ rows: half })['goals']).toBeUndefined();
  const memory = of('memory', '200 and 2000 nodes', 'service', { 'bytes a node': 250_000 });
  const goals = tablesOf({ rows: [...half, ...memory] })['goals'] ?? '';
  const lines = goals.split('\n');
  expect(lines[4]).toBe(
    '| Measurements of 300 nodes, of the baseline | at least 0.95 | 0.95 | 0.90, 0.99, 0.95 | in 2 of 3 |',
  );
  expect(lines).toContain('| Spectra of 3,200 lines, of the baseline | at least 0.90 | ∞ | ∞, ∞, ∞ | yes |');
  expect(lines).toContain('| 20,000 nodes, 2,000 of them cached, failed calls | at most 0 | 1 | 0, 2 | in 1 of 2 |');
  expect(lines).toContain('| Memory of a node | at most 130 KB | 250 KB | 250 | no |');
});

test('times are those of calls that were answered, failures are counted by reason, and a cut begins anew', () => {
  const recorder = createRecorder();
  for (let ms = 1; ms <= 100; ms += 1) recorder.record(ms, '');
  recorder.record(5_000, '503');
  expect(recorder.cut()).toEqual({ calls: 100, failed: 1, p50: 50, p99: 99, max: 100 });
  expect(recorder.cut()).toEqual({ calls: 0, failed: 0, p50: 0, p99: 0, max: 0 });
  expect(recorder.faults).toEqual({ 503: 1 });
});
