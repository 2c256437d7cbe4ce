import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import { alertsFile, documentedMetrics, metricsIn } from '../../support/ops/observed-metrics';
import { prometheusCommand } from '../../support/ops/prometheus-command';

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

test('each rule says what is wrong, and its runbook is a page of its own', () => {
  for (const rule of alerts.split(/^ +- alert: /mu).slice(1)) {
    for (const member of ['summary', 'description', 'severity']) expect(rule).toContain(`${member}: `);
    const [name = ''] = rule.split('\n');
    expect(rule).toContain(`runbook_url: '{{ $externalLabels.runbooks }}/${name}.md'`);
    expect(readFileSync(join(projectRoot, `docs/runbook/${name}.md`), 'utf8')).toMatch(new RegExp(`^# ${name}\n`, 'u'));
  }
});

test('every page of the runbook is of a rule, and the triage names it', () => {
  const pages = readdirSync(join(projectRoot, 'docs/runbook')).filter((page) => page !== 'README.md');
  expect(pages.sort()).toEqual(names.map((name) => `${name}.md`).sort());
  const triage = readFileSync(join(projectRoot, 'docs/runbook/README.md'), 'utf8');
  for (const page of pages) expect(triage).toContain(`](${page})`);
});
