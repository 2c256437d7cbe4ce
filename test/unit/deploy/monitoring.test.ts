import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { projectRoot } from '../../../dev/stack/project-root';
import { ofKind, kubernetesFolder, resourcesOf } from '../../support/deploy/manifests';
import {
  alertsFile,
  dashboardExpressions,
  documentedMetrics,
  metricsIn,
  prometheusCommand,
} from '../../support/deploy/monitoring';
import { folderOfTest } from '../../support/temporary-folder';

// promtool is a process, which may start slowly beside other tests.
vi.setConfig({ testTimeout: 60_000 });

const promtool = (...args: ReadonlyArray<string>): string =>
  execFileSync(prometheusCommand('promtool'), args, { cwd: dirname(alertsFile), encoding: 'utf8', stdio: 'pipe' });

const alerts = readFileSync(alertsFile, 'utf8');
const names = [...alerts.matchAll(/^ +- alert: (\w+)$/gmu)].map(([, name = '']) => name);

test('Prometheus takes the rules and the configuration', () => {
  expect(promtool('check', 'rules', 'alerts.yml')).toContain(`SUCCESS: ${names.length} rules found`);
  expect(promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS: prometheus.yml is valid');
});

test('each rule fires when it should, and not before', () => {
  expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
});

test('each rule is tested both ways', () => {
  const tests = readFileSync(join(dirname(alertsFile), 'alerts.test.yml'), 'utf8');
  const checked = [...tests.matchAll(/alertname: (\w+)\n +exp_alerts:( \[\])?/gu)];
  const of = (isQuiet: boolean) =>
    new Set(checked.filter(([, , none]) => (none !== undefined) === isQuiet).map(([, name]) => name));
  expect([...of(false)].sort()).toEqual([...names].sort());
  expect([...of(true)].sort()).toEqual([...names].sort());
});

test('each metric of the rules is one of the documents', () => {
  const documented = documentedMetrics();
  expect(metricsIn(alerts).length).toBeGreaterThan(8);
  expect(metricsIn(alerts).filter((name) => !documented.has(name))).toEqual([]);
});

test('no rule looks at the processes of another team', () => {
  const rules = parse(alerts) as { groups: ReadonlyArray<{ rules: ReadonlyArray<{ expr: string }> }> };
  const selectors = rules.groups
    .flatMap((group) => group.rules.map(({ expr }) => expr))
    .flatMap((expr) => expr.match(/\b(?:up|[a-z]+(?:_[a-z0-9]+)+)\b(?! *\()(?:\{[^}]*\})?/gu) ?? [])
    .filter((text) => /^(?:up|point_alarm|temporal|persistence|redis|pg|node|kubelet)(?:_|\b)/u.test(text));
  expect(selectors.length).toBeGreaterThan(50);
  // The consumers of users have jobs of their own.
  const loose = selectors.filter((text) => !/job=|persistentvolumeclaim=/u.test(text));
  expect(new Set(loose.map((text) => text.replace(/\{.*/u, '')))).toEqual(
    new Set(['point_alarm_consumer_events_total', 'point_alarm_consumer_lag']),
  );
});

test('no rule knows a stream by its name, which EVENT_STREAM may change', () => {
  expect(alerts.match(/\bstream *[=!]~?.*/gu) ?? []).toEqual([]);
});

test('each rule says what is wrong, and its runbook is a page of its own', () => {
  for (const rule of alerts.split(/^ +- alert: /mu).slice(1)) {
    for (const member of ['summary', 'description', 'severity']) expect(rule).toContain(`${member}: `);
    const [name = ''] = rule.split('\n');
    expect(rule).toContain(`runbook_url: '{{ $externalLabels.runbooks }}/${name}.md'`);
    expect(readFileSync(join(projectRoot, `docs/runbook/${name}.md`), 'utf8')).toMatch(new RegExp(`^# ${name}\n`, 'u'));
  }
});

/** Alerts that `pas forward alertmanager` sends itself. */
const forwarded = ['PointAlarmSilent', 'PointAlarmStreamSilent'];

test('every page of the runbook is of a rule, or of an alert that the forwarder sends, and the triage names it', () => {
  const pages = readdirSync(join(projectRoot, 'docs/runbook')).filter((page) => page !== 'README.md');
  expect(pages.sort()).toEqual([...names, ...forwarded].map((name) => `${name}.md`).sort());
  const triage = readFileSync(join(projectRoot, 'docs/runbook/README.md'), 'utf8');
  for (const page of pages) expect(triage).toContain(`](${page})`);
});

test('each metric of the dashboard is one of the documents, and each of ours is on it', () => {
  const documented = documentedMetrics();
  const shown = metricsIn(dashboardExpressions().join('\n'));
  expect(shown.filter((name) => !documented.has(name))).toEqual([]);
  const family = (name: string): string => name.replace(/_(bucket|sum|count)$/u, '');
  const ours = new Set([...documented].filter((name) => name.startsWith('point_alarm_')).map(family));
  const missing = [...ours].filter((name) => !shown.map(family).includes(name));
  expect(missing).toEqual([
    'point_alarm_consumer_gap_timestamp_seconds',
    'point_alarm_forward_failures_total',
    'point_alarm_forward_refused_alerts_total',
    'point_alarm_groups_given_up_total',
    'point_alarm_key_set_age_seconds',
    'point_alarm_malformed_requests_total',
    'point_alarm_redis_connections_total',
  ]);
});

test('Prometheus takes each expression of the dashboard', () => {
  const folder = folderOfTest();
  const rules = dashboardExpressions().map((expr, at) => ({ record: `shown:${at}`, expr }));
  writeFileSync(join(folder, 'rules.yml'), stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(promtool('check', 'rules', join(folder, 'rules.yml'))).toContain(`SUCCESS: ${rules.length} rules found`);
});

const [recorded] = ofKind('PrometheusRule', resourcesOf('components/autoscaling'));
const manifestText = (path: string): string => readFileSync(join(kubernetesFolder, path), 'utf8');

/** deploy/prometheus/alerts.yml as the spec of a PrometheusRule: `WRITE_ALERTS=1` with this file writes it. */
const manifest = `# Made from deploy/prometheus/alerts.yml, where the rules are tested; test/unit/deploy/monitoring.test.ts writes it.
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

test('the alerts are those of deploy/prometheus', () => {
  expect(manifestText('components/monitoring/alerts.yaml')).toBe(manifest);
  const [alerts] = ofKind('PrometheusRule', resourcesOf('components/monitoring'));
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
  const folder = folderOfTest();
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
  expect(promtool('test', 'rules', join(folder, 'test.yml'))).toContain('SUCCESS');
});

test('the autoscalers look at metrics that are served: documented or recorded, and passed on by the adapter', () => {
  const rules = stringify(recorded?.spec);
  const known = new Set([
    ...documentedMetrics(),
    ...[...rules.matchAll(/record: (\w+)/gu)].map(([, name = '']) => name),
  ]);
  const wanted = ofKind('HorizontalPodAutoscaler', resourcesOf('components/autoscaling')).flatMap(({ spec }) =>
    spec.metrics.flatMap(({ pods }) => (pods === undefined ? [] : pods.metric.name)),
  );
  expect(wanted.length).toBe(2);
  expect([...wanted, ...metricsIn(rules)].filter((name) => !known.has(name))).toEqual([]);
  for (const name of wanted) expect(manifestText('components/autoscaling/prometheus-adapter.yaml')).toContain(name);
});
