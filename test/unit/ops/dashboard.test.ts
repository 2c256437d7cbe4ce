import { expect, test } from 'vitest';
import { dashboardExpressions, documentedMetrics, metricsIn } from '../../support/ops/observed-metrics';

test('each metric of the dashboard is one of the documents, and each of ours is on it', () => {
  const documented = documentedMetrics();
  const shown = metricsIn(dashboardExpressions().join('\n'));
  expect(shown.filter((name) => !documented.has(name))).toEqual([]);
  const family = (name: string): string => name.replace(/_(bucket|sum|count)$/u, '');
  const ours = new Set([...documented].filter((name) => name.startsWith('point_alarm_')).map(family));
  const missing = [...ours].filter((name) => !shown.map(family).includes(name));
  expect(missing).toEqual([
    'point_alarm_groups_given_up_total',
    'point_alarm_key_set_age_seconds',
    'point_alarm_malformed_requests_total',
    'point_alarm_redis_connections_total',
  ]);
});
