import { expect, test } from 'vitest';
import { dashboardExpressions, documentedMetrics, metricsIn, panels } from '../../support/ops/observed-metrics';

test('each metric of the dashboard is one of the documents, and each of ours is on it', () => {
  const documented = documentedMetrics();
  const shown = metricsIn(dashboardExpressions().join('\n'));
  expect(shown.filter((name) => !documented.has(name))).toEqual([]);
  const family = (name: string): string => name.replace(/_(bucket|sum|count)$/u, '');
  const ours = new Set([...documented].filter((name) => name.startsWith('point_alarm_')).map(family));
  const missing = [...ours].filter((name) => !shown.map(family).includes(name));
  expect(missing).toEqual([
    'point_alarm_groups_given_up_total',
    'point_alarm_malformed_requests_total',
    'point_alarm_redis_connections_total',
  ]);
});

test('no two panels share a place or an id, and each but the rows asks for something', () => {
  const all = panels();
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  const cells = all.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { type, targets = [], gridPos } of all) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    expect(targets.length > 0).toBe(type !== 'row');
  }
});
