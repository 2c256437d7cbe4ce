import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { createPublisher } from '../../../stream/append';
import {
  startAlertmanagerBy,
  startOwnAlertmanager,
  type OwnAlertmanager,
  type ReceivedAlert,
} from '../../support/forward/own-alertmanager';
import { publishingNode } from '../../support/forward/publishing-node';
import { runPas } from '../../support/forward/run-pas';
import { expectedAlarms, type PartEvent } from '../../support/forward/expected-alarms';
import { recordMeasurement, setExternalAlarm, setThreshold } from '../../support/commands';
import { dataPoint, overall } from '../../support/measurements';
import { anId } from '../../support/scenario';
import { documentedUser } from '../../support/redis/documented-user';
import { eventSettings } from '../../support/redis/event-settings';
import { sharedRedis } from '../../support/redis/shared-redis';
import { folderOfTest } from '../../support/temporary-folder';

const soon = { timeout: 60_000, interval: 50 };
const url = inject('redisUrl');
const redis = sharedRedis();

const started = async (alertmanager: Promise<OwnAlertmanager>): Promise<OwnAlertmanager> => {
  const one = await alertmanager;
  onTestFinished(() => one.stop());
  return one;
};

const forward = (redisUrl: string, stream: string, alertmanager: OwnAlertmanager, ...more: ReadonlyArray<string>) => {
  const args = ['forward', 'alertmanager', '--url', alertmanager.url, '--claim-after', '1s', '--resend', '1s', ...more];
  const running = runPas(args, { REDIS_URL: redisUrl, EVENT_STREAM: stream });
  onTestFinished(() => running.stop());
  return running;
};

const alertsOf = ({ notifications: received }: OwnAlertmanager, name: string): ReadonlyArray<ReceivedAlert> =>
  received.flatMap(({ alerts }) => alerts).filter(({ labels }) => labels['alertname'] === name);

/** How often a forwarder is killed: a few times show that it works, hundreds that it holds. */
const KILLS = Number(process.env['TOLD_KILLS'] ?? 6);

test(
  'with delays people are told of just the alarms that lasted, once each, also where forwarders are killed all the time',
  async () => {
    const alertmanager = await started(startOwnAlertmanager('50ms', '200ms'));
    const stream = `told-${randomUUID()}`;
    const publisher = createPublisher({ client: redis }, eventSettings({ stream }));
    // The next forwarder leads ten seconds after a kill: Alertmanager must not end meanwhile what is not sent again.
    const options = ['--for', '1s', '--keep-firing-for', 'alert=3s', '--keep-firing-for', '2s', '--resend', '10s'];
    const delays = { danger: { for: 1_000, keepFiringFor: 2_000 }, alert: { for: 1_000, keepFiringFor: 3_000 } };
    const nodes = Array.from({ length: 10 }, (_, n) => {
      const events: PartEvent[] = [];
      const { take } = publishingNode(publisher, anId(n));
      const set = async (status: PartEvent['status']): Promise<void> => {
        const at = Date.now();
        events.push({ at, status });
        await take(setExternalAlarm({ status }), at);
      };
      return { id: anId(n), events, set };
    });
    const from = Date.now();
    let forwarder = forward(url, stream, alertmanager, ...options);
    const ending = new AbortController();
    const flapping = nodes.map(async ({ set }) => {
      while (!ending.signal.aborted) {
        await set(([2, 2, 3, 4] as const)[Math.floor(Math.random() * 4)] ?? 2);
        await sleep(300 + Math.random() * 5_000);
      }
      await set(2);
    });
    const isAtWork = () =>
      vi.waitFor(
        () => {
          // One that starts on a busy machine may not reach Redis in time.
          if (!forwarder.isRunning()) forwarder = forward(url, stream, alertmanager, ...options);
          expect(forwarder.said()).toContain('forwarding');
        },
        { ...soon, timeout: 120_000 },
      );
    for (let kills = 0; kills < KILLS; kills += 1) {
      await isAtWork();
      await sleep(Math.random() * 6_000);
      await forwarder.stop(); // by SIGKILL
      forwarder = forward(url, stream, alertmanager, ...options);
    }
    await isAtWork();
    await sleep(6_000);
    ending.abort();
    await Promise.all(flapping);
    await vi.waitFor(async () => expect(await redis.hLen(`${stream}:point-alarm-alerts:changed`)).toBe(0), soon);
    await vi.waitFor(async () => expect(await alertmanager.active()).toEqual([]), soon);
    await sleep(2_000); // the last ends are told
    const expected = nodes.flatMap(({ id, events }) => {
      const relative = events.map(({ at, status }) => ({ at: at - from, status }));
      return expectedAlarms(relative, delays, Date.now() - from).map(({ severity, startsAt, endsAt = Infinity }) => ({
        ...{ id, severity, from: startsAt + from, to: endsAt + from },
      }));
    });
    const received = alertsOf(alertmanager, 'PointAlarm').map(({ status, labels, startsAt, endsAt }) => ({
      ...{ id: labels['node'] ?? '', severity: labels['severity'] ?? '', status },
      ...{ from: Date.parse(startsAt), to: Date.parse(endsAt) },
    }));
    const keyOf = (one: { id: string; severity: string; from: number }): string =>
      `${one.id} ${one.severity} ${one.from}`;
    const known = new Map(expected.map((one) => [keyOf(one), one]));
    expect(expected.length).toBeGreaterThan(0);
    // What is told is an alarm, and ends when it does, or when the next of its labels does that began while no forwarder ran.
    // One whose end was under way when it was told has ended when it began.
    const takenBack = new Set(
      received.filter(({ status, from: begin, to }) => status === 'resolved' && begin === to).map(keyOf),
    );
    // One that goes on by an event which was under way has ended twice: the last end counts.
    const last = new Map(received.map((one) => [keyOf(one), one]));
    for (const one of last.values()) {
      if (takenBack.has(keyOf(one))) continue;
      expect(known.has(keyOf(one)), keyOf(one)).toBe(true);
      if (one.status === 'firing') continue;
      const ends = expected.filter(
        ({ id, severity, from: begin }) => id === one.id && severity === one.severity && begin >= one.from,
      );
      expect(ends.map(({ to }) => to)).toContain(one.to);
    }
    // And each is told, unless it was over before a forwarder ran again.
    const firing = new Set(received.filter(({ status }) => status === 'firing').map(keyOf));
    const resolved = new Set(received.filter(({ status }) => status === 'resolved').map(keyOf));
    for (const key of firing) expect(resolved.has(key) || hasFollower(expected, key, keyOf)).toBe(true);
    const missed = expected.filter((one) => !firing.has(keyOf(one)));
    console.log(
      `${KILLS} kills, ${expected.length} alarms, of which ${missed.length} were over before they could be told`,
    );
    expect(firing.size).toBeGreaterThan(0);
  },
  240_000 + KILLS * 150_000,
);

/** Whether an alarm of the same labels begins after one: Alertmanager may see no end between both. */
const hasFollower = <A extends { id: string; severity: string; from: number }>(
  alarms: ReadonlyArray<A>,
  key: string,
  keyOf: (alarm: A) => string,
): boolean => {
  const own = alarms.find((one) => keyOf(one) === key);
  return alarms.some((one) => one.id === own?.id && one.severity === own.severity && one.from > own.from);
};

test('a sensor that falls silent is told with its labels, by its type, until it is back; the documented user may do it', async () => {
  const alertmanager = await started(startOwnAlertmanager('100ms', '500ms'));
  const stream = `silent-${randomUUID()}`;
  const file = join(folderOfTest(), 'hierarchy.json');
  const nodes = [
    { id: anId(100), type: 'plant', name: 'North' },
    { id: anId(101), type: 'pump', parent: anId(100) },
    { id: anId(1), type: 'measurement_point', parent: anId(101) },
    { id: anId(2), type: 'measurement_point', parent: anId(100) },
    { id: anId(3), type: 'measurement_point', parent: anId(100) },
  ];
  writeFileSync(file, JSON.stringify({ nodes }));
  const user = await documentedUser(redis, url, { name: 'alerts', stream, group: 'point-alarm-alerts' });
  const options = ['--hierarchy', file, '--silent-after', 'pump=3s', '--silent-after', '60s', '--for', '1s'];
  const forwarder = forward(user.url, stream, alertmanager, ...options);
  const publisher = createPublisher({ client: redis }, eventSettings({ stream }));
  let measured = 0;
  const [dead, well, seldom] = [1, 2, 3].map((n) => {
    const { take } = publishingNode(publisher, anId(n));
    const measure = (y = 0) => take(recordMeasurement(dataPoint(y, { measurementId: anId((measured += 1)) })));
    return { take, measure };
  });
  if (!dead || !well || !seldom) throw new Error('unreachable');
  for (const { take } of [dead, well, seldom]) await take(setThreshold(overall));
  await dead.measure(25);
  await seldom.measure();
  const ending = new AbortController();
  const back = new AbortController();
  const flow = (async () => {
    while (!ending.signal.aborted) {
      await well.measure();
      if (back.signal.aborted) await dead.measure();
      await sleep(200);
    }
  })();
  onTestFinished(() => {
    ending.abort();
    return flow;
  });
  await vi.waitFor(() => expect(alertsOf(alertmanager, 'PointAlarmSilent')).toHaveLength(1), soon);
  expect(alertsOf(alertmanager, 'PointAlarmSilent')[0]).toMatchObject({
    status: 'firing',
    labels: { node: anId(1), plant: 'North', pump: anId(101) },
    annotations: { status: 'DANGER', since: expect.stringMatching(/^\d{4}-.*Z$/u) },
  });
  expect(alertsOf(alertmanager, 'PointAlarm')[0]?.annotations['changes']).toBe('1 in an hour, 1 in a day');
  await forwarder.stop();
  forward(user.url, stream, alertmanager, ...options);
  back.abort(); // and it stays so: the next forwarder leads only ten seconds later
  await vi.waitFor(
    () => expect(alertsOf(alertmanager, 'PointAlarmSilent').at(-1)).toMatchObject({ status: 'resolved' }),
    soon,
  );
  expect(alertsOf(alertmanager, 'PointAlarmStreamSilent')).toEqual([]);
  expect(await user.denied()).toEqual([]);
});

/** The sample of routes, whose receivers are one webhook, and which waits for less time. */
const sample = (webhook: string): string =>
  readFileSync(join(projectRoot, 'deploy/alertmanager/alertmanager.yml'), 'utf8')
    .replace(/email_configs:\n +- to: .*\n/u, `webhook_configs:\n      - url: ${webhook}\n`)
    .replace('http://127.0.0.1:9099/', webhook)
    .replace('group_wait: 1m', 'group_wait: 1s')
    .replace(/group_interval: .*/u, 'group_interval: 1s');

test('by the sample of routes a plant that is silent is one message, and none where the stream is silent', async () => {
  const alertmanager = await started(startAlertmanagerBy(sample));
  const post = async (alerts: ReadonlyArray<Readonly<Record<string, string>>>): Promise<void> => {
    const body = JSON.stringify(alerts.map((labels) => ({ labels })));
    const headers = { 'Content-Type': 'application/json' };
    const { ok } = await fetch(`${alertmanager.url}/api/v2/alerts`, { method: 'POST', headers, body });
    expect(ok).toBe(true);
  };
  const silent = (plant: string, from: number) =>
    Array.from({ length: 50 }, (_, n) => ({ alertname: 'PointAlarmSilent', node: anId(from + n), plant }));
  await post([...silent('North', 0), ...silent('South', 100)]);
  await vi.waitFor(() => expect(alertmanager.notifications).toHaveLength(2), soon);
  expect(alertmanager.notifications.map(({ alerts }) => alerts.length)).toEqual([50, 50]);
  await post([{ alertname: 'PointAlarmStreamSilent', stream: 'x' }]);
  await vi.waitFor(() => expect(alertsOf(alertmanager, 'PointAlarmStreamSilent')).toHaveLength(1), soon);
  await post(silent('West', 200));
  await sleep(3_000);
  expect(alertsOf(alertmanager, 'PointAlarmSilent').filter(({ labels }) => labels['plant'] === 'West')).toEqual([]);
});
