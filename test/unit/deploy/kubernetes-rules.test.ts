import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { isAutoscaler, isPrometheusRule, kubernetesFolder, resourcesOf } from '../../support/deploy/manifests';
import { alertsFile, documentedMetrics, metricsIn } from '../../support/ops/observed-metrics';
import { prometheusCommand } from '../../support/ops/prometheus-command';

const [recorded] = resourcesOf('components/autoscaling').filter(isPrometheusRule);
const read = (path: string): string => readFileSync(join(kubernetesFolder, path), 'utf8');

/** ops/prometheus/alerts.yml as the spec of a PrometheusRule: `WRITE_ALERTS=1` with this file writes it. */
const manifest = `# Made from ops/prometheus/alerts.yml, where the rules are tested; test/unit/deploy/kubernetes-rules.test.ts writes it.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: point-alarm
spec:
${readFileSync(alertsFile, 'utf8')
  .replace(/^#.*\n/u, '')
  .replaceAll(/^(?=.)/gmu, '  ')}`;
if (process.env['WRITE_ALERTS'] === '1')
  writeFileSync(join(kubernetesFolder, 'components/monitoring/alerts.yaml'), manifest);

test('the alerts are those of ops/prometheus', () => {
  expect(read('components/monitoring/alerts.yaml')).toBe(manifest);
  const [alerts] = resourcesOf('components/monitoring').filter(isPrometheusRule);
  expect(alerts?.spec).toEqual(parse(readFileSync(alertsFile, 'utf8')));
});

/** A worker that keeps 19 of 20 tasks waiting for 0.1 to 0.5 s, one whose tasks never wait, and one that has none. */
const SERIES = ['0.1', '0.5', '+Inf'].flatMap((le) => [
  [
    `temporal_workflow_task_schedule_to_start_latency_seconds_bucket{le="${le}",pod="late"}`,
    le === '0.1' ? '0x20' : '0+60x20',
  ],
  [`temporal_workflow_task_schedule_to_start_latency_seconds_bucket{le="${le}",pod="quick"}`, '0+60x20'],
]);

test('the wait of nodes for a worker is a number for every worker, also for one that has nothing to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const within = (series: string): string => series.replace('{', '{job="point-alarm-worker",namespace="n",');
  const expected = [
    ['idle', 0],
    ['late', 0.48],
    ['quick', 0.095],
  ].map(([pod, value]) => ({
    labels: `point_alarm_workflow_task_wait_seconds_p95{namespace="n",pod="${String(pod)}"}`,
    value,
  }));
  writeFileSync(join(folder, 'rules.yml'), stringify(recorded?.spec));
  writeFileSync(
    join(folder, 'test.yml'),
    stringify({
      rule_files: ['rules.yml'],
      tests: [
        {
          interval: '15s',
          input_series: [
            ...SERIES.map(([series = '', values]) => ({ series: within(series), values })),
            ...['idle', 'late', 'quick'].map((pod) => ({ series: within(`up{pod="${pod}"}`), values: '1x20' })),
          ],
          promql_expr_test: [
            { expr: 'point_alarm_workflow_task_wait_seconds_p95', eval_time: '5m', exp_samples: expected },
          ],
        },
      ],
    }),
  );
  const said = execFileSync(prometheusCommand('promtool'), ['test', 'rules', 'test.yml'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(said).toContain('SUCCESS');
});

test('the autoscalers look at metrics that are served: documented or recorded, and passed on by the adapter', () => {
  const rules = stringify(recorded?.spec);
  const known = new Set([
    ...documentedMetrics(),
    ...[...rules.matchAll(/record: (\w+)/gu)].map(([, name = '']) => name),
  ]);
  const wanted = resourcesOf('components/autoscaling')
    .filter(isAutoscaler)
    .flatMap(({ spec }) => spec.metrics.flatMap(({ pods }) => (pods === undefined ? [] : pods.metric.name)));
  expect(wanted.length).toBe(2);
  expect([...wanted, ...metricsIn(rules)].filter((name) => !known.has(name))).toEqual([]);
  for (const name of wanted) expect(read('components/autoscaling/prometheus-adapter.yaml')).toContain(name);
});
