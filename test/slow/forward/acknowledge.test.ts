import { randomUUID } from 'node:crypto';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { createPublisher } from '../../../stream/append';
import { recordMeasurement, setThreshold } from '../../support/commands';
import { startAnsweringServer } from '../../support/answering-server';
import { ADMIN, POINT } from '../../support/api/callers';
import { apiOfTest } from '../../support/api/start-api';
import { forFile } from '../../support/for-file';
import { startOwnAlertmanager } from '../../support/forward/own-alertmanager';
import { publishingNode } from '../../support/forward/publishing-node';
import { dataPoint, overall } from '../../support/measurements';
import { peers } from '../../support/peers/peers';
import { eventSettings } from '../../support/redis/event-settings';
import { sharedRedis } from '../../support/redis/shared-redis';
import { runHere, runWith } from '../../support/run-program';
import { anId } from '../../support/scenario';

const redis = sharedRedis();
const alertmanager = forFile(
  () => startOwnAlertmanager('100ms', '500ms'),
  ({ stop }) => stop(),
);

interface Shown {
  readonly id: string;
  readonly node: string;
  readonly part: string | null;
  readonly until: string;
  readonly by: string;
  readonly comment: string;
}

const ack = (...args: ReadonlyArray<string>) => runHere('.', 'ack', '--url', alertmanager.url, ...args);
const MARY = ['--for', '4h', '--by', 'mary', '--comment', 'bearing ordered'];
const lasting = async (): Promise<ReadonlyArray<Shown>> =>
  (await ack('--list', '--json')).out.map((line) => JSON.parse(line) as Shown);

/** Alarms of a node, or that it is silent, as the forwarder sends them. */
const inAlarm = async (labels: Readonly<Record<string, string>>): Promise<void> => {
  const endsAt = new Date(Date.now() + 600_000).toISOString();
  const body = JSON.stringify([{ labels: { alertname: 'PointAlarm', ...labels }, endsAt }]);
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${alertmanager.url}/api/v2/alerts`, { method: 'POST', headers, body });
  expect(status).toBe(200);
};
/** The silenced alerts of a node, by their parts. */
const silenced = async (node: string): Promise<ReadonlyArray<string | undefined>> => {
  const asked = await fetch(`${alertmanager.url}/api/v2/alerts?active=false&inhibited=false&filter=node="${node}"`);
  const alerts = (await asked.json()) as ReadonlyArray<{ readonly labels: Readonly<Record<string, string>> }>;
  return alerts.map(({ labels }) => labels['part']).sort();
};

let node: string;
beforeEach(() => {
  node = randomUUID();
});

test('a part is acknowledged, listed and ended; the alarms of others are told on', async () => {
  await inAlarm({ node, part: 'overall', severity: 'danger' });
  await inAlarm({ node, part: 'band 0', severity: 'alert' });
  const made = await ack(node, 'overall', ...MARY);
  expect(made).toMatchObject({ code: 0, err: [] });
  expect(made.out.map((line) => line.split(/ {2,}/u))).toEqual([
    ['ID', 'NODE', 'PART', 'BY', 'UNTIL', 'COMMENT'],
    [expect.stringMatching(/^[\da-f-]{36}$/u), node, 'overall', 'mary', expect.any(String), 'bearing ordered'],
  ]);
  await expect.poll(() => silenced(node)).toEqual(['overall']);
  const [one] = (await lasting()).filter((other) => other.node === node);
  expect(one).toMatchObject({ part: 'overall', by: 'mary', comment: 'bearing ordered' });
  expect(Date.parse(one?.until ?? '') - Date.now()).toBeGreaterThan(4 * 3_600_000 - 60_000);
  expect((await ack('--list')).out.join('\n')).toContain(one?.id);

  const id = one?.id ?? '';
  expect(await ack('--end', id)).toEqual({ code: 0, out: [], err: [] });
  await expect.poll(() => silenced(node)).toEqual([]);
  expect((await lasting()).filter((other) => other.node === node)).toEqual([]);
  expect(await ack('--end', id)).toEqual({
    code: 2,
    out: [],
    err: [expect.stringMatching(`^--end ${id}: it ended at 2`)],
  });
});

test('a whole node is acknowledged with all that it alarms of, silence too; and what is acknowledged may be so again', async () => {
  await inAlarm({ node, alertname: 'PointAlarmSilent' });
  expect((await ack(node, ...MARY)).code).toBe(0);
  await inAlarm({ node, part: 'HAL 0', label: 'BPFO', severity: 'alert' });
  await expect.poll(() => silenced(node)).toEqual(['HAL 0', undefined]);
  expect((await ack(node, 'HAL 0', ...MARY)).code).toBe(0);
  expect((await lasting()).filter((other) => other.node === node)).toHaveLength(2);
});

test('what is not in alarm, and what is no acknowledgement, is refused, and nothing is done', async () => {
  const before = await lasting();
  const refusal = (line: string) => ({ code: 2, out: [], err: [line] });
  expect(await ack(node, ...MARY)).toEqual(refusal(`${node} is not in alarm; none of its parts is`));
  await inAlarm({ node, part: 'overall', severity: 'danger' });
  await inAlarm({ node, part: 'band 1', severity: 'danger' });
  expect(await ack(node, 'HAL 7', ...MARY)).toEqual(
    refusal(`HAL 7 of ${node} is not in alarm; of its parts these are: band 1, overall`),
  );
  const { host } = new URL(alertmanager.url);
  expect(await ack('--end', node)).toEqual(
    refusal(`--end ${node}: Alertmanager at ${host} knows no such acknowledgement`),
  );
  expect(await lasting()).toEqual(before);

  const matchers = [{ name: 'plant', value: 'north', isRegex: false }];
  const times = { startsAt: new Date().toISOString(), endsAt: new Date(Date.now() + 60_000).toISOString() };
  const body = JSON.stringify({ matchers, ...times, createdBy: 'jo', comment: 'maintenance' });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${alertmanager.url}/api/v2/silences`, { method: 'POST', headers, body });
  const { silenceID: other } = (await answer.json()) as { readonly silenceID: string };
  expect(await ack('--end', other)).toEqual(
    refusal(`--end ${other}: this silence at Alertmanager at ${host} is no acknowledgement`),
  );
});

test('of a cluster each member is asked for alarms, and one that answers takes the acknowledgement', async () => {
  await inAlarm({ node, part: 'overall', severity: 'danger' });
  const down = ['--url', 'http://127.0.0.1:1'];
  const cluster = (...args: ReadonlyArray<string>) => runHere('.', 'ack', ...down, '--url', alertmanager.url, ...args);
  expect((await cluster(node, ...MARY)).code).toBe(0);
  const [one] = (await cluster('--list', '--json')).out
    .map((line) => JSON.parse(line) as Shown)
    .filter((of) => of.node === node);
  expect((await cluster('--end', one?.id ?? '')).code).toBe(0);
  expect(await silenced(node)).toEqual([]);
});

test('pas status and pas top show who looks after a node', async () => {
  await inAlarm({ node: POINT, part: 'overall', severity: 'danger' });
  expect((await ack(POINT, 'overall', ...MARY)).code).toBe(0);
  const api = await apiOfTest();
  const env = {
    POINT_ALARM_URL: `http://127.0.0.1:${api.port}`,
    POINT_ALARM_TOKEN: await api.callers.token(ADMIN),
    REDIS_URL: inject('redisUrl'),
    EVENT_STREAM: `acknowledge-${node}`,
  };
  const pas = (...args: ReadonlyArray<string>) => runWith(env, '.', ...args);
  const shown = ['--alertmanager', alertmanager.url];
  const status = await pas('status', POINT, ...shown);
  expect(status.out).toEqual([
    expect.stringMatching(/^NODE +STATUS +UPDATED +ACKNOWLEDGED +PARTS$/u),
    expect.stringMatching(/ overall by mary until 2\d{3}-\d\d-\d\dT\d\d:\d\dZ/u),
  ]);
  const [json = ''] = (await pas('status', POINT, '--json', ...shown)).out;
  expect(JSON.parse(json)).toMatchObject({ nodeId: POINT, acknowledgements: [{ part: 'overall', by: 'mary' }] });
  expect((await pas('status', POINT)).out.join('\n')).not.toContain('ACKNOWLEDGED');

  const publisher = createPublisher({ client: redis }, eventSettings({ stream: env.EVENT_STREAM }));
  const { take } = publishingNode(publisher, POINT);
  await take(setThreshold(overall));
  await take(recordMeasurement(dataPoint(25, { measurementId: anId(1) })));
  const top = await pas('top', '--once', ...shown);
  expect([top.code, top.out.at(-1)]).toEqual([
    0,
    expect.stringMatching(/ overall by mary until .*Z +overall DANGER$/u),
  ]);
  const without = await pas('top', '--once', '--alertmanager', 'http://127.0.0.1:1');
  expect(without.out.at(-1)).toMatch(/ overall DANGER$/u);
  expect(without.err.join('\n')).toContain('Alertmanager at 127.0.0.1:1 does not answer');
  expect((await pas('status', POINT, '--alertmanager', 'http://127.0.0.1:1')).code).toBe(3);
});

const answered = peers.filter(({ status, name }) => status !== undefined || name.includes('cut off'));
test('nothing but the answer of Alertmanager itself is taken for done', async () => {
  const [id, instant] = [anId(9), (ms: number) => new Date(Date.now() + ms).toISOString()];
  const matchers = [{ name: 'node', value: node }];
  const times = { startsAt: instant(0), endsAt: instant(3_600_000) };
  const silence = { id, matchers, ...times, createdBy: 'mary', comment: 'on my way' };
  const alert = { labels: { alertname: 'PointAlarm', node, part: 'overall' } };
  /** Below /1/list/ the peer with the index 1 answers calls of silences, below /1/end/ only DELETE. */
  const server = await startAnsweringServer(({ url = '', method }, response) => {
    const [, at, what, , , name = ''] = url.split('/');
    if (name.startsWith('alerts')) return void response.end(JSON.stringify([alert]));
    if (what === 'end' && method === 'GET') return void response.end(JSON.stringify([silence]));
    if (response.socket !== null) answered[Number(at)]?.answer(response.socket);
    return undefined;
  });
  onTestFinished(server.close);
  const done: string[] = [];
  for (const [index, { name, status }] of answered.entries())
    for (const [what, ...args] of [
      ['ack', node, ...MARY],
      ['list', '--list'],
      ['end', '--end', id],
    ] as const) {
      const { code, out, err } = await runHere('.', 'ack', '--url', `${server.url}/${index}/${what}`, ...args);
      if (code === 0) done.push(`${name}: ${what}`);
      else expect([name, code === 4, out]).toEqual([name, status === 401 || status === 403, []]);
      const mayBeDone = what === 'ack' && code === 3;
      expect([name, err.join().includes('--list shows whether it was acknowledged')]).toEqual([name, mayBeDone]);
    }
  expect(done).toEqual(['200: end']);
  expect(server.asked.filter(({ path }) => path.includes('elsewhere'))).toEqual([]);
});
