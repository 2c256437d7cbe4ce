import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queries, signals, workflowIdOf } from '../../../workflows/messages';
import { alertsFile } from '../../support/ops/observed-metrics';
import { prometheusCommand } from '../../support/ops/prometheus-command';
import { eventually } from '../workflows/nodes';
import { startOwnRedis, type OwnRedis } from '../../support/own-redis';
import { startService, type Service } from '../../support/service';

/** A service whose worker reaches Redis by a way of its own. */
let redis: OwnRedis;
let service: Service;
const folder = mkdtempSync(join(tmpdir(), 'point-alarm-backlog-'));
beforeAll(async () => {
  redis = await startOwnRedis();
  service = await startService({ REDIS_URL: redis.url }, { REDIS_URL: redis.urlByWay });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Nodes that get calls of the API, which publishes their events itself, and nodes that get signals and publish by their worker. */
const [called, signalled] = [1, 2].map(() => Array.from({ length: 10 }, () => randomUUID())) as [string[], string[]];
let commands = 0;
const call = async (nodeId: string): Promise<void> => {
  commands += 1;
  const body = { status: commands % 5 };
  const { status } = await service.call({ method: 'PUT', path: `/v1/alarm-status/${nodeId}/status/external`, body });
  expect(status).toBe(204);
};
const signal = (nodeId: string): Promise<void> => {
  commands += 1;
  const alarm = { userId: 'operator', status: commands % 5 };
  return service.client.workflow.getHandle(workflowIdOf(nodeId)).signal(signals.setExternalAlarm, alarm);
};
/** So many commands, spread over `nodes`. */
const spread = (count: number, nodes: ReadonlyArray<string>, command: (nodeId: string) => Promise<void>) =>
  Promise.all(Array.from({ length: count }, (_, index) => command(nodes[index % nodes.length] ?? '')));
const calls = (count: number) => spread(count, called, call);
/** Signals, taken by their nodes. */
const taken = async (count: number): Promise<void> => {
  await spread(count, signalled, signal);
  const handles = signalled.map((nodeId) => service.client.workflow.getHandle(workflowIdOf(nodeId)));
  await Promise.all(handles.map((handle) => handle.query(queries.alarmStatus)));
};

/** The counters of events that both processes show now, by series. */
const counters = async (): Promise<ReadonlyMap<string, number>> => {
  const texts = await Promise.all(
    [service.api, service.worker].map(async (port) => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return [...text.matchAll(/^(point_alarm_events_\w+\{.*)\} (\d+)$/gmu)].map(
        ([, series = '', value]) => [`${series},instance="${port}"}`, Number(value)] as const,
      );
    }),
  );
  return new Map(texts.flat());
};
const sumOf = (samples: ReadonlyMap<string, number>, name: string): number =>
  [...samples].filter(([series]) => series.startsWith(name)).reduce((sum, [, value]) => sum + value, 0);
/** How many events were committed and published, as the metrics say, and how many are in the stream. */
const counted = async () => {
  const samples = await counters();
  return {
    committed: sumOf(samples, 'point_alarm_events_committed_total'),
    published: sumOf(samples, 'point_alarm_events_published_total'),
    inStream: await redis.client.xLen(service.stream),
  };
};
const everythingIsOut = () => eventually(counted, ({ inStream }) => inStream === commands, 60_000);

/** What was scraped so far; each scrape stands for a minute. */
const scrapes: ReadonlyMap<string, number>[] = [];
/** Does `work` and scrapes, so many times; says which minute it is then. */
const minutes = async (count: number, work: () => Promise<unknown>): Promise<number> => {
  for (let minute = 0; minute < count; minute += 1) {
    await work();
    scrapes.push(await counters());
  }
  return scrapes.length - 1;
};

/** Whether the rule of the project says that outboxes grow, in each of these minutes of what was scraped. */
const alertIn = (states: Readonly<Record<number, 'firing' | 'quiet'>>): string => {
  const names = [...new Set(scrapes.flatMap((samples) => [...samples.keys()]))];
  const alert = 'ALERTS{alertname="PointAlarmOutboxGrows"';
  const unit = {
    interval: '1m',
    input_series: names.map((series) => ({
      series,
      values: scrapes.map((samples) => samples.get(series) ?? '_').join(' '),
    })),
    promql_expr_test: Object.entries(states).map(([minute, state]) => ({
      expr: `${alert}}`,
      eval_time: `${minute}m`,
      exp_samples: state === 'firing' ? [{ labels: `${alert},alertstate="firing",severity="warning"}`, value: 1 }] : [],
    })),
  };
  copyFileSync(alertsFile, join(folder, 'alerts.yml'));
  const file = join(folder, 'observed.test.yml');
  writeFileSync(file, JSON.stringify({ rule_files: ['alerts.yml'], evaluation_interval: '1m', tests: [unit] }));
  try {
    return execFileSync(prometheusCommand('promtool'), ['test', 'rules', file], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return (
      String((error as { readonly stdout: unknown }).stdout) + String((error as { readonly stderr: unknown }).stderr)
    );
  }
};

test('every event is counted once where it is committed and once where it is published', async () => {
  await calls(100);
  for (const nodeId of signalled) await call(nodeId);
  await taken(30);
  await calls(100);
  await expect
    .poll(counted, { timeout: 20_000 })
    .toEqual({ committed: commands, published: commands, inStream: commands });
});

test('the alert on growing outboxes fires for what a service shows under a backlog, and not else', async () => {
  const healthy = await minutes(6, () => calls(75));
  // The workers do not reach Redis: what the API publishes itself goes on.
  redis.cutWay(true);
  const cut = await minutes(17, () => Promise.all([calls(40), taken(75)]));
  redis.cutWay(false);
  await everythingIsOut();
  const healed = await minutes(4, () => calls(75));
  // Redis hangs: nothing is published.
  redis.signal('SIGSTOP');
  const hung = await minutes(17, () => calls(75));
  redis.signal('SIGCONT');
  await everythingIsOut();
  const well = await minutes(4, () => calls(75));
  expect(
    alertIn({ [healthy]: 'quiet', [cut]: 'firing', [healed]: 'quiet', [hung]: 'firing', [well]: 'quiet' }),
  ).toContain('SUCCESS');
  await everythingIsOut();
  expect(await counted()).toMatchObject({ committed: commands, inStream: commands });
}, 240_000);
