import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../dev/stack/free-ports';
import { projectRoot } from '../../../dev/stack/project-root';
import { createPublisher } from '../../../stream/append';
import { startOwnAlertmanager, type OwnAlertmanager, type ReceivedAlert } from '../../support/forward/own-alertmanager';
import { publishingNode } from '../../support/forward/publishing-node';
import { whole } from '../../support/peers/peers';
import { startPeers } from '../../support/peers/start-peers';
import { runPas } from '../../support/forward/run-pas';
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
let alertmanager: OwnAlertmanager;
let stream: string;
beforeEach(() => {
  stream = `alerts-${randomUUID()}`;
});
afterEach(() => alertmanager.stop());

const forward = (...more: ReadonlyArray<string>) => forwardAs(url, ...more);
const forwardAs = (redisUrl: string, ...more: ReadonlyArray<string>) => {
  const args = ['forward', 'alertmanager', '--url', alertmanager.url, '--claim-after', '2s', '--resend', '1s', ...more];
  const running = runPas(args, { REDIS_URL: redisUrl, EVENT_STREAM: stream });
  onTestFinished(() => running.stop());
  return running;
};

/** A node that publishes what its commands come to. */
const nodeOf = (nodeId: string) => {
  const { take } = publishingNode(createPublisher({ client: redis }, eventSettings({ stream })), nodeId);
  let measured = 0;
  const measure = (y: number) => take(recordMeasurement(dataPoint(y, { measurementId: anId((measured += 1)) })));
  return { take, measure };
};

const metricsAt = async (port: number): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

/** What was told of a node and a part, in order: `firing danger`, `resolved danger`; what is told again in one state counts once per notification. */
const notificationsOf = (nodeId: string, part: string): ReadonlyArray<string> =>
  alertmanager.notifications.flatMap(({ alerts }) =>
    alerts
      .filter(({ labels }) => labels['node'] === nodeId && labels['part'] === part)
      .map(({ status, labels }) => `${status} ${labels['severity'] ?? ''}`),
  );
const alertOf = (nodeId: string): ReceivedAlert | undefined =>
  alertmanager.notifications.flatMap(({ alerts }) => alerts).find(({ labels }) => labels['node'] === nodeId);

test('an alarm is told within five seconds with its labels, limits and link, and again when it ends', async () => {
  alertmanager = await startOwnAlertmanager('100ms', '500ms');
  const folder = folderOfTest();
  const [plant, machine, id] = [anId(100), anId(101), anId(1)];
  const nodes = [
    { id: plant, type: 'plant', name: 'North' },
    { id: machine, type: 'machine', parent: plant },
    { id, type: 'measurement_point', parent: machine, name: 'Drive end' },
  ];
  writeFileSync(join(folder, 'hierarchy.json'), JSON.stringify({ nodes }));
  const user = await documentedUser(redis, url, { name: 'alerts', stream, group: 'point-alarm-alerts' });
  const options = ['--hierarchy', join(folder, 'hierarchy.json'), '--link', 'http://ui/{node}'];
  const running = forwardAs(user.url, ...options);
  await vi.waitFor(() => expect(running.said()).toContain('forwarding'), soon);
  const node = nodeOf(id);
  await node.take(setThreshold(overall));
  await node.measure(0);
  await node.measure(25);
  const sentAt = performance.now();
  await vi.waitFor(() => expect(notificationsOf(id, 'overall')).toEqual(['firing danger']), soon);
  const [{ at } = { at: Infinity }] = alertmanager.notifications;
  expect(at - sentAt).toBeLessThan(5_000);
  expect(alertOf(id)).toMatchObject({
    labels: {
      ...{ alertname: 'PointAlarm', node: id, part: 'overall', severity: 'danger' },
      ...{ plant: 'North', machine, measurement_point: 'Drive end' },
    },
    annotations: {
      summary: 'overall is in DANGER',
      limits: 'outerLow -20, innerLow -10, innerHigh 10, outerHigh 20 mm/s',
      measurement: anId(2),
      link: `http://ui/${id}`,
    },
  });
  await node.measure(10);
  await vi.waitFor(() => expect(new Set(notificationsOf(id, 'overall'))).toContain('firing alert'), soon);
  await node.measure(0);
  await vi.waitFor(async () => expect(await alertmanager.active()).toEqual([]), soon);
  await vi.waitFor(() => expect(notificationsOf(id, 'overall')).toContain('resolved alert'), soon);
  expect(await user.denied()).toEqual([]);
  console.log(`told ${Math.round(at - sentAt)} ms after the event`);
});

test('restarts of either side lose nothing and tell nothing twice: what lasts stays, what ended meanwhile ends', async () => {
  alertmanager = await startOwnAlertmanager('100ms', '500ms');
  const port = await freePort();
  const first = forward('--metrics-port', String(port));
  const failures = async (): Promise<number> =>
    Number(/^point_alarm_forward_failures_total (\d+)$/mu.exec(await metricsAt(port))?.[1]);
  const nodes = [nodeOf(anId(1)), nodeOf(anId(2)), nodeOf(anId(3))] as const;
  for (const node of nodes) {
    await node.take(setThreshold(overall));
    await node.measure(25);
  }
  await vi.waitFor(() => expect(alertmanager.notifications.flatMap(({ alerts }) => alerts)).toHaveLength(3), soon);

  await alertmanager.terminate(); // it keeps what it told
  await nodes[1].measure(0); // ends, and a new alarm begins, while nobody listens
  await nodes[2].take(setExternalAlarm({ status: 3 }));
  await vi.waitFor(async () => expect(await failures()).toBeGreaterThan(1), soon);
  await alertmanager.restart();
  await vi.waitFor(
    () => expect(notificationsOf(anId(2), 'overall')).toEqual(['firing danger', 'resolved danger']),
    soon,
  );
  await vi.waitFor(() => expect(notificationsOf(anId(3), 'external')).toEqual(['firing alert']), soon);

  await first.stop(); // by SIGKILL
  await nodes[0].measure(0);
  await sleep(500);
  const second = forward();
  await vi.waitFor(
    () => expect(notificationsOf(anId(1), 'overall')).toEqual(['firing danger', 'resolved danger']),
    soon,
  );
  await sleep(4_000); // several times sent again
  expect(notificationsOf(anId(1), 'overall')).toEqual(['firing danger', 'resolved danger']);
  expect(notificationsOf(anId(2), 'overall')).toEqual(['firing danger', 'resolved danger']);
  expect((await alertmanager.active()).map(({ labels }) => labels['node'])).toEqual([anId(3), anId(3)]);
  expect(second.said()).toContain('forwarding');
});

test('the sample configuration is one that Alertmanager takes, and routes by severity', async () => {
  alertmanager = await startOwnAlertmanager('1s', '1s');
  const amtool = (...args: ReadonlyArray<string>): string =>
    execFileSync('amtool', args, { cwd: join(projectRoot, 'deploy/alertmanager'), encoding: 'utf8' }).trim();
  expect(amtool('check-config', 'alertmanager.yml')).toContain('SUCCESS');
  const routeOf = ['config', 'routes', 'test', '--config.file=alertmanager.yml', 'alertname=PointAlarm'];
  expect(amtool(...routeOf, 'severity=danger')).toBe('on-call');
  expect(amtool(...routeOf, 'severity=alert')).toBe('maintenance');
  const silentRoute = (name: string): string => amtool(...routeOf.slice(0, -1), `alertname=${name}`);
  expect([silentRoute('PointAlarmSilent'), silentRoute('PointAlarmStreamSilent')]).toEqual(['maintenance', 'on-call']);
});

test('what is wrong has its exit code and is said', async () => {
  alertmanager = await startOwnAlertmanager('1s', '1s');
  const { url: good } = alertmanager;
  const rows: ReadonlyArray<readonly [code: number, said: string, ...args: ReadonlyArray<string>]> = [
    [3, 'Alertmanager at 127.0.0.1:1 does not answer', '--url', 'http://127.0.0.1:1'],
    [2, 'begins with http:// or https://', '--url', 'redis://x'],
    [2, 'It is from 1s to 1d', '--url', good, '--resend', '0s'],
    [2, 'It is from 1s to 1d', '--url', good, '--claim-after', '0s'],
    [2, 'has no API v2: /elsewhere/api/v2/status answers 404', '--url', `${good}/elsewhere`],
    [2, 'It is from 0s to 31d', '--url', good, '--for', '32d'],
    [2, 'It is from 2s to 31d', '--url', good, '--silent-after', '1s'],
    [2, '--for pump=: "pump" is no severity (danger, alert)', '--url', good, '--for', 'pump=1m'],
    [2, '--silent-after pump=: "pump" is no known type of node', '--url', good, '--silent-after', 'pump=1h'],
    [2, '--link must be a URL that holds {node}', '--url', good, '--link', 'x'],
    [2, 'package.json is not valid: ', '--url', good, '--hierarchy', 'package.json'],
  ];
  for (const [code, said, ...args] of rows) {
    const ended = runPas(['forward', 'alertmanager', ...args], { REDIS_URL: url, EVENT_STREAM: stream });
    expect([await ended.exited, ended.said()]).toEqual([code, expect.stringContaining(said)]);
  }
});

test('--catch-up ends with 0 once all alarms are delivered, and with 1 where they are not', async () => {
  alertmanager = await startOwnAlertmanager('100ms', '500ms');
  let answer = whole('no such path', 404, 'page');
  const status = await (await fetch(`${alertmanager.url}/api/v2/status`)).text();
  const { url: proxy, asked } = await startPeers(({ path }) => (path.endsWith('/alerts') ? answer : undefined), {
    ...whole('status', 200),
    answer: (socket) => void socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${status.length}\r\n\r\n${status}`),
  });
  await nodeOf(anId(1)).take(setExternalAlarm({ status: 4 }));
  const catchUp = async (to: string) => {
    const ended = runPas(['forward', 'alertmanager', '--url', to, '--catch-up'], {
      REDIS_URL: url,
      EVENT_STREAM: stream,
    });
    return [await ended.exited, ended.said()] as const;
  };
  const undelivered = [1, expect.stringContaining('1 events handled, not all of them delivered')] as unknown;
  expect(await catchUp(proxy)).toEqual(undelivered);
  answer = whole('to a login page', 302, 'page', 'Location: /login');
  expect(await catchUp(proxy)).toEqual([1, expect.stringContaining('answers 302, a redirect to /login')]);
  expect(asked.map(({ path }) => path)).not.toContain('/login');
  answer = whole('too large', 413, 'page');
  expect(await catchUp(proxy)).toEqual([1, expect.stringContaining(`an alert of ${anId(1)} is set aside`)]);
  expect(await alertmanager.active()).toEqual([]);
  expect(await catchUp(alertmanager.url)).toEqual([0, expect.stringContaining('0 events handled')]);
  expect(await alertmanager.active()).toHaveLength(1);
}, 120_000);
