import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createPublisher } from '../../../stream/append';
import { recalculate, recordMeasurement, setExternalAlarm, setThreshold } from '../../support/commands';
import { forFile } from '../../support/for-file';
import { dashboardPanels } from '../../support/forward/dashboard-panels';
import { startOwnAlertmanager } from '../../support/forward/own-alertmanager';
import { startOwnPostgres } from '../../support/forward/own-postgres';
import { publishingNode } from '../../support/forward/publishing-node';
import { runPas } from '../../support/forward/run-pas';
import { dataPoint, overall, spectrum } from '../../support/measurements';
import { eventSettings } from '../../support/redis/event-settings';
import { sharedRedis } from '../../support/redis/shared-redis';
import { anId, type Sent } from '../../support/scenario';
import { folderOfTest } from '../../support/temporary-folder';

const redis = sharedRedis();
const postgres = forFile(startOwnPostgres, ({ stop }) => stop());
const stream = `journal-report-${randomUUID()}`;
const publisher = createPublisher({ client: redis }, eventSettings({ stream }));

const [SECOND, HOUR] = [1_000, 3_600_000];
const OCTOBER = Date.UTC(2025, 9, 1);

const pas = async (args: string, more: ReadonlyArray<string> = []) => {
  const running = runPas([...args.split(' '), ...more], { REDIS_URL: inject('redisUrl'), EVENT_STREAM: stream });
  return { code: await running.exited, said: running.said() };
};
const report = (month: string, ...more: ReadonlyArray<string>) =>
  pas(`journal report --url ${postgres.url} --month ${month}`, more);
const catchUp = async (): Promise<void> => {
  const { code, said } = await pas(`forward postgres --url ${postgres.url} --catch-up`);
  expect([code, said]).toEqual([0, expect.any(String)]);
};

let measurements = 0;
const measured = (y: number): Sent => recordMeasurement(dataPoint(y, { measurementId: anId((measurements += 1)) }));
const [GOOD, ALARM] = [0, 25];

/** Publishes what a node does with commands at times after the first of October (ms). */
const publish = async (n: number, ...commands: ReadonlyArray<readonly [after: number, Sent]>): Promise<void> => {
  const { take } = publishingNode(publisher, anId(n));
  for (const [after, command] of commands) await take(command, OCTOBER + after);
};

beforeAll(async () => {
  // Node 0 chatters: an alarm every 20 seconds for four minutes. Node 1 has two fleeting alarms. Node 2 stands for two days.
  const flapping = Array.from({ length: 12 }, (_, at) => HOUR + at * 20 * SECOND);
  await publish(
    0,
    [0, setThreshold(overall)],
    ...flapping.flatMap(
      (at) =>
        [
          [at, measured(ALARM)],
          [at + 10 * SECOND, measured(GOOD)],
        ] as const,
    ),
  );
  await publish(
    1,
    [0, setThreshold(overall)],
    ...[5, 9].flatMap(
      (hour) =>
        [
          [hour * HOUR, measured(ALARM)],
          [hour * HOUR + 30 * SECOND, measured(GOOD)],
        ] as const,
    ),
  );
  await publish(2, [0, setThreshold(overall)], [10 * HOUR, measured(ALARM)], [58 * HOUR, measured(GOOD)]);
  await catchUp();
});

test('a month is reported by its tables, and by a page that holds all it shows', async () => {
  const folder = folderOfTest();
  const [html, hierarchy] = [join(folder, 'october.html'), join(folder, 'hierarchy.json')];
  const nodes = [
    { id: anId(100), type: 'plant', name: 'Mill <b>' },
    { id: anId(0), type: 'measurement_point', parent: anId(100), name: 'Fan' },
  ];
  writeFileSync(hierarchy, JSON.stringify({ nodes }));
  const { code, said } = await report('2025-10', '--html', html, '--hierarchy', hierarchy);
  expect([code, said]).toEqual([0, expect.any(String)]);
  const lines = said.split('\n').map((line) => line.replaceAll(/ {2,}/gu, ' | '));
  for (const line of [
    'alarms | 15',
    'alarms in the worst ten minutes | 12 (2025-10-01 01:00) | at most 10',
    'time in flood | 0.02 % (floods: 1) | below 1 %',
    'chattering alarms | 12 | 0',
    'fleeting alarms | 2 | 0',
    'stood for more than 24 hours | 1 (0 at the end) | below 5 on any day',
    '2025-10-01 01:00 | 10 min | 12',
    'Mill <b> / Fan | overall | 12 | 80.00 %',
    `${anId(1)} | overall | 2 | 13.33 %`,
    `${anId(2)} | overall | 2025-10-01 10:00 | 2025-10-03 10:00 | 2 d`,
  ])
    expect(lines).toContain(line);
  const page = readFileSync(html, 'utf8');
  expect(page).toContain('Mill &lt;b> / Fan');
  expect(page.match(/<rect[^>]*><title>2025-10-01 01:00: 12 alarms/u)).not.toBeNull();
  expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|src=|href=|url\(|@import/u);
});

test('a node is silent since its last measurement, whatever else happens to it', async () => {
  await publish(3, [0, setThreshold(overall)], [HOUR, measured(GOOD)]);
  const other = publishingNode(publisher, anId(4));
  const later: ReadonlyArray<readonly [number, Sent]> = [
    [0, setThreshold(overall)],
    [HOUR, measured(GOOD)],
    [2 * HOUR, setExternalAlarm({ status: 3 })],
    [3 * HOUR, recalculate()],
    [4 * HOUR, setThreshold({ ...overall, fullScale: 5 })],
    [5 * HOUR, setThreshold({ ...overall, rateOfChange: { outerHigh: 1 } })],
  ];
  for (const [after, command] of later) await other.take(command, OCTOBER + after);
  const ratesNothing = recordMeasurement(spectrum([{ x: 0, y: 1 }], { measurementId: anId(1_000) }));
  await publish(7, [0, setThreshold(overall)], [HOUR, measured(GOOD)], [2 * HOUR, ratesNothing]);
  await publish(5, [0, setThreshold(overall)], [HOUR, setExternalAlarm({ status: 3 })]); // was never measured
  await publish(6, [0, setThreshold(overall)], [HOUR, measured(GOOD)], [2 * HOUR, setThreshold({})]); // is measured no more
  // Its threshold was cleared and set again. What a part holds counts from then on.
  await publish(
    8,
    [0, setThreshold(overall)],
    [HOUR, measured(GOOD)],
    [2 * HOUR, setThreshold({})],
    [3 * HOUR, setThreshold(overall)],
  );
  await catchUp();
  const silence = () =>
    postgres.ask(`SELECT node, measured_at FROM point_alarm.silence WHERE node >= '${anId(3)}' ORDER BY node`);
  const at = new Date(OCTOBER + HOUR);
  const others = [2, 3].map((hours) => ({ node: anId(5 + hours), measured_at: new Date(OCTOBER + hours * HOUR) }));
  expect(await silence()).toEqual([...[3, 4].map((n) => ({ node: anId(n), measured_at: at })), ...others]);
  await other.take(measured(GOOD), OCTOBER + 6 * HOUR);
  await catchUp();
  expect(await silence()).toEqual([
    { node: anId(3), measured_at: at },
    { node: anId(4), measured_at: new Date(OCTOBER + 6 * HOUR) },
    ...others,
  ]);
  const { said } = await report('2025-10');
  expect(said).toMatch(new RegExp(`^${anId(3)} +2025-10-01 01:00 +\\d+ d`, 'mu'));
});

test('silences of Alertmanager for a node are acknowledgements, and the journal keeps them', async () => {
  const alertmanager = await startOwnAlertmanager('1s', '1s');
  try {
    await postgres.ask(
      `INSERT INTO point_alarm.status_change (node, part, sequence_id, from_status, to_status, at, user_id)
       VALUES ($1, 'overall', '1', 2, 4, now() - interval '5 minutes', 'user')`,
      [anId(7)],
    );
    const silenced = async (matchers: ReadonlyArray<object>): Promise<string> => {
      const [startsAt, endsAt] = [0, HOUR].map((after) => new Date(Date.now() + after).toISOString());
      const body = JSON.stringify({ matchers, startsAt, endsAt, createdBy: 'mary', comment: 'on my way' });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${alertmanager.url}/api/v2/silences`, { method: 'POST', headers, body });
      return ((await answer.json()) as { readonly silenceID: string }).silenceID;
    };
    const matcher = (name: string, value: string, isRegex = false) => ({ name, value, isRegex, isEqual: true });
    const ofNode = matcher('node', anId(7));
    const id = await silenced([matcher('alertname', 'PointAlarm'), ofNode, matcher('part', 'overall')]);
    await silenced([matcher('node', '.+', true)]);
    await silenced([ofNode, matcher('plant', 'north')]);
    await silenced([matcher('alertname', 'PointAlarmSilent'), ofNode]);
    const copy = () => pas(`journal acknowledgements --url ${postgres.url} --alertmanager ${alertmanager.url}`);
    expect(await copy()).toEqual({
      code: 0,
      said: expect.stringContaining('1 acknowledgements, 1 of them new or changed; 3 other silences'),
    });
    expect((await copy()).said).toContain('1 acknowledgements, 0 of them new or changed');
    const kept = () =>
      postgres.ask(`SELECT id, node, part, by, comment, until < now() AS over FROM point_alarm.acknowledgement`);
    const row = { id, node: anId(7), part: 'overall', by: 'mary', comment: 'on my way' };
    expect(await kept()).toEqual([{ ...row, over: false }]);
    const found = await postgres.ask<{ after: number }>(
      `SELECT extract(epoch FROM after)::float AS after FROM point_alarm.acknowledged(now() - interval '1 hour', now())`,
    );
    expect(found).toEqual([{ after: expect.closeTo(330, -2) }]);
    await fetch(`${alertmanager.url}/api/v2/silence/${id}`, { method: 'DELETE' });
    expect((await copy()).said).toContain('1 acknowledgements, 1 of them new or changed');
    expect(await kept()).toEqual([{ ...row, over: true }]);
  } finally {
    await alertmanager.stop();
  }
});

const panels = dashboardPanels('alarm-performance.json', `'2025-10-01Z'`, `now()`);
test.each(panels)('the dashboard panel "$title" has an answer', async ({ sql }) => {
  expect(sql).not.toContain('$__');
  await postgres.ask(
    `INSERT INTO point_alarm.acknowledgement VALUES ('x', $1, NULL, '2025-10-01T10:05Z', '2025-10-01T11:00Z', 'mary', '') ON CONFLICT DO NOTHING`,
    [anId(2)],
  );
  expect(await postgres.ask(sql)).not.toEqual([]);
});

describe('what is wrong has its exit code and is said', () => {
  const at = (change: (good: URL) => void): string => {
    const given = new URL(postgres.url);
    change(given);
    return given.href;
  };
  const rows: ReadonlyArray<readonly [what: string, args: () => string, code: number, said: RegExp]> = [
    [
      'an empty month',
      () => `report --url ${postgres.url} --month 2025-09`,
      2,
      /^--month 2025-09: the journal holds no change of a status in it; its changes are of 2025-10-01 to \d/mu,
    ],
    ['a month to come', () => `report --url ${postgres.url} --month 2999-01`, 2, /^--month 2999-01 has not begun/mu],
    ['no month', () => `report --url ${postgres.url} --month 2025-13`, 2, /'--month <month>'.*such as 2026-10/u],
    [
      'no database',
      () => `report --url ${at((url) => (url.pathname = '/none'))} --month 2025-10`,
      2,
      /"none" does not exist/u,
    ],
    [
      'no journal',
      () => `report --url ${at((url) => (url.pathname = '/template1'))} --month 2025-10`,
      2,
      /holds no journal: pas forward postgres/u,
    ],
    [
      'no server',
      () => `report --url ${at((url) => (url.port = '1'))} --month 2025-10`,
      3,
      /does not answer: .*ECONNREFUSED/u,
    ],
    [
      'a wrong password',
      () => `report --url ${at((url) => (url.password = 'x'))} --month 2025-10`,
      4,
      /denies access/u,
    ],
    [
      'no Alertmanager',
      () => `acknowledgements --url ${postgres.url} --alertmanager http://127.0.0.1:1`,
      3,
      /Alertmanager at 127\.0\.0\.1:1 does not answer/u,
    ],
    [
      'a page for a folder',
      () => `report --url ${postgres.url} --month 2025-10 --html /none/x.html`,
      2,
      /\/none\/x\.html cannot be written/u,
    ],
  ];
  test.each(rows)('%s', async (_, args, code, said) => {
    const ended = await pas(`journal ${args()}`);
    expect(ended).toEqual({ code, said: expect.stringMatching(said) });
  });

  test('nothing is written of an empty month', async () => {
    const html = join(folderOfTest(), 'september.html');
    expect((await report('2025-09', '--html', html)).code).toBe(2);
    expect(existsSync(html)).toBe(false);
  });

  test('a journal of another version', async () => {
    await postgres.ask(`INSERT INTO point_alarm.migration VALUES (99, 'later')`);
    const ended = await report('2025-10');
    expect(ended).toEqual({ code: 2, said: expect.stringContaining('the journal is of version 99') });
  });
});
