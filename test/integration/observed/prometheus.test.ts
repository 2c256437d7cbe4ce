import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { portChooser, testPort } from '../../../stack/free-ports';
import { alertsFile, dashboardExpressions, metricsIn } from '../../support/ops/observed-metrics';
import { prometheusCommand } from '../../support/ops/prometheus-command';
import { eventually } from '../workflows/nodes';
import { startBusyService } from './busy-service';
import type { Service } from '../../support/service';

/** A Prometheus of its own on the configuration of the project, which it gets other addresses and less patience for. */
let prometheus: ChildProcess | undefined;
let service: Service | undefined;
let base: string;
const folder = mkdtempSync(join(tmpdir(), 'point-alarm-prometheus-'));
beforeAll(async () => {
  service = await startBusyService();
  const given = readFileSync(join(dirname(alertsFile), 'prometheus.yml'), 'utf8');
  const config = given
    .replace('127.0.0.1:3000', `127.0.0.1:${service.api}`)
    .replace('127.0.0.1:3001', `127.0.0.1:${service.worker}`)
    .replaceAll('15s', '1s');
  writeFileSync(join(folder, 'prometheus.yml'), config);
  copyFileSync(alertsFile, join(folder, 'alerts.yml'));
  const address = `127.0.0.1:${await portChooser('127.0.0.1')(testPort())}`;
  base = `http://${address}/api/v1`;
  prometheus = spawn(
    prometheusCommand('prometheus'),
    [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`],
    { stdio: 'ignore' },
  );
}, 180_000);
afterAll(async () => {
  if (prometheus?.exitCode === null) {
    prometheus.kill('SIGTERM');
    await once(prometheus, 'exit');
  }
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The `data` of an answer of Prometheus; what is refused shows why. */
const ask = async (path: string): Promise<unknown> => {
  const answer = (await fetch(`${base}${path}`).then(
    (response) => response.json(),
    (error: unknown) => ({ error: String(error) }),
  )) as { readonly data?: unknown };
  return answer.data ?? answer;
};

test('Prometheus scrapes both processes', async () => {
  const healthOf = async () => {
    const { activeTargets = [] } = (await ask('/targets')) as {
      readonly activeTargets?: ReadonlyArray<{ readonly labels: { readonly job: string }; readonly health: string }>;
    };
    return Object.fromEntries(activeTargets.map(({ labels: { job }, health }) => [job, health]));
  };
  // The third job is redis_exporter's, which is not of this project.
  const both = { 'point-alarm-api': 'up', 'point-alarm-worker': 'up' };
  await expect.poll(healthOf, { timeout: 60_000 }).toMatchObject(both);
});

test('each rule of the project is loaded and evaluates', async () => {
  const rulesOf = async () => {
    const { groups = [] } = (await ask('/rules')) as {
      readonly groups?: ReadonlyArray<{
        readonly rules: ReadonlyArray<{ readonly health: string; readonly lastError?: string }>;
      }>;
    };
    return groups.flatMap(({ rules }) => rules);
  };
  const count = readFileSync(alertsFile, 'utf8').match(/^ +- alert: /gmu)?.length ?? 0;
  const rules = await eventually(
    rulesOf,
    (all) => all.length === count && all.every(({ health }) => health !== 'unknown'),
  );
  expect(rules.map(({ health, lastError }) => lastError ?? health)).toEqual(rules.map(() => 'ok'));
});

test('each metric of the rules and the dashboard was scraped', async () => {
  const wanted = metricsIn([readFileSync(alertsFile, 'utf8'), ...dashboardExpressions()].join('\n'));
  const missing = async () => {
    const names = (await ask('/label/__name__/values')) as ReadonlyArray<string>;
    return wanted.filter((name) => !names.includes(name));
  };
  expect(wanted.length).toBeGreaterThan(30);
  await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
});

test.each(dashboardExpressions())('the dashboard may ask %s', async (expression) => {
  expect(await ask(`/query?query=${encodeURIComponent(expression)}`)).toHaveProperty('resultType', 'vector');
});
