import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { createPublisher, type Publisher } from '../../../stream/append';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { dashboardPanels } from '../../support/forward/dashboard-panels';
import { journalRows, readJournal } from '../../support/forward/journal-rows';
import { startNodeLoad } from '../../support/forward/node-load';
import { PASSWORD, startOwnPostgres } from '../../support/forward/own-postgres';
import { publishingNode } from '../../support/forward/publishing-node';
import { runPas } from '../../support/forward/run-pas';
import { recordMeasurement, republish, setExternalAlarm, setThreshold } from '../../support/commands';
import { dataPoint, overall, spectrum } from '../../support/measurements';
import { accepted, anId, nodeAfter, send, START, userId, type Sent } from '../../support/scenario';
import { newNode } from '../../../workflows/domain/node/state';
import { eventSettings } from '../../support/redis/event-settings';
import { sharedRedis } from '../../support/redis/shared-redis';
import { forFile } from '../../support/for-file';

const soon = { timeout: 60_000, interval: 100 };
const url = inject('redisUrl');
const redis = sharedRedis();
const postgres = forFile(startOwnPostgres, ({ stop }) => stop());

let stream: string;
let publisher: Publisher;
/** An empty database and an empty stream. */
const begin = async (): Promise<void> => {
  await postgres.ask('DROP SCHEMA IF EXISTS point_alarm CASCADE');
  stream = `journal-${randomUUID()}`;
  publisher = createPublisher({ client: redis }, eventSettings({ stream }));
};

const forward = (...more: ReadonlyArray<string>) =>
  runPas(['forward', 'postgres', '--url', postgres.url, '--claim-after', '2s', ...more], {
    REDIS_URL: url,
    EVENT_STREAM: stream,
  });

/** Forwards all that the stream holds, and ends. */
const catchUp = async (): Promise<string> => {
  const forwarding = forward('--catch-up');
  expect([await forwarding.exited, forwarding.said()]).toEqual([0, expect.any(String)]);
  return forwarding.said();
};

const journal = () => readJournal(postgres);

const waitingOf = (commands: ReadonlyArray<Sent>, id: string): ReadonlyArray<OutboxEvent> =>
  nodeAfter(commands, newNode(id)).outbox.waiting;

test('the journal holds each change of each part once, with its measurement, time and user', async () => {
  await begin();
  const id = anId(7);
  const commands = [
    setThreshold(overall),
    recordMeasurement(dataPoint(0)),
    recordMeasurement(dataPoint(25, { measurementId: anId(2) })),
    recordMeasurement(dataPoint(26, { measurementId: anId(3) })),
    setExternalAlarm({ status: 3 }),
    setThreshold({ thresholdType: 0 }),
  ];
  await publisher.append({ nodeId: id, events: waitingOf(commands, id) });
  expect(await catchUp()).toContain('added to the journal: status changes, parts, threshold changes');
  const at = (step: number): string => String(START + step * 1_000);
  const row = (step: number, part: string, from: number, to: number, measurement: string | null = null) => ({
    ...{ part, from_status: from, to_status: to, measurement, at: at(step), user_id: userId },
  });
  expect((await journal()).map(({ node: _, sequence_id: __, ...others }) => others)).toEqual([
    row(0, 'overall', 0, 1),
    row(1, 'overall', 1, 2, anId(1)),
    row(2, 'overall', 2, 4, anId(2)),
    row(4, 'external', 0, 3),
    row(5, 'overall', 4, 0),
  ]);
  expect(await postgres.ask('SELECT part, status FROM point_alarm.part')).toEqual([{ part: 'external', status: 3 }]);
  expect(
    await postgres.ask('SELECT revision, user_id, threshold FROM point_alarm.threshold_change ORDER BY revision'),
  ).toEqual([
    { revision: '1', user_id: userId, threshold: { nodeId: id, ...overall } },
    { revision: '2', user_id: userId, threshold: { nodeId: id, thresholdType: 0 } },
  ]);
  await catchUp();
  expect(await journal()).toHaveLength(5);
});

test('bands and HALs have their label and value; what was published again changes nothing; odd text is taken', async () => {
  await begin();
  const id = anId(8);
  const threshold = {
    bandAlarms: [{ label: 'low \u0000', overallThreshold: { unit: 'mm/s', upperAlert: { value: 1, valueType: 1 } } }],
    halAlarms: [{ label: '1x' }],
  };
  const coordinates = Array.from({ length: 400 }, (_, at) => ({ x: at, y: at === 25 ? 3 : 0.1 }));
  const by = { cause: { requestId: 'by hand \u0000' } };
  const node = nodeAfter([setThreshold(threshold, by), recordMeasurement(spectrum(coordinates), by)], newNode(id));
  const again = accepted(send(node, republish(), START + 60_000)).node;
  await publisher.append({ nodeId: id, events: again.outbox.waiting });
  await catchUp();
  const parts = await postgres.ask('SELECT part, label, status, unit, value FROM point_alarm.part ORDER BY part');
  expect(parts).toEqual([
    { part: 'HAL 0', label: '1x', status: 2, unit: null, value: expect.any(Number) },
    { part: 'band 0', label: 'low \uFFFD', status: 3, unit: 'mm/s', value: expect.any(Number) },
  ]);
  expect(await journal()).toHaveLength(4);
  expect(await postgres.ask('SELECT count(*)::int AS count FROM point_alarm.threshold_change')).toEqual([{ count: 1 }]);
});

test('a band or HAL of another label, or a band of other edges, ends one alarm and begins another at its place', async () => {
  await begin();
  const id = anId(9);
  const limits = { upperAlert: { value: 1, valueType: 1 }, upperDanger: { value: 2, valueType: 1 } };
  const to = (value: number) => ({ maxFrequency: { value, valueType: 1 } });
  const threshold = (label: string, hal: string, max: number) => ({
    bandAlarms: [
      { label, overallThreshold: limits },
      { ...to(max), overallThreshold: limits },
    ],
    halAlarms: [{ label: hal }],
  });
  const coordinates = Array.from({ length: 400 }, (_, at) => ({ x: at, y: at === 25 ? 3 : 0.1 }));
  const { take } = publishingNode(publisher, id);
  const bySteps = [
    setThreshold(threshold('outer race', '1x', 100)),
    recordMeasurement(spectrum(coordinates)),
    setThreshold(threshold('gear mesh', '2x', 200)),
    setThreshold({ thresholdType: 0 }),
  ];
  for (const [at, command] of bySteps.entries()) await take(command, START + at * 1_000);
  await catchUp();
  const changes = await postgres.ask(`
    SELECT extract(epoch FROM at)::int - ${START / 1_000} AS step, part, label, from_status AS before, to_status AS after
    FROM point_alarm.status_change WHERE at >= to_timestamp(${START / 1_000 + 1}) ORDER BY part COLLATE "C", sequence_id, to_status`);
  const change = (step: number, part: string, label: string, before: number, after: number) => ({
    ...{ step, part, label, before, after },
  });
  const ofPart = (part: string, old: string, next: string, status: number) => [
    change(1, part, old, 1, status),
    change(2, part, old, status, 0),
    change(2, part, next, 0, status),
    change(3, part, next, status, 0),
  ];
  expect(changes).toEqual([
    ...ofPart('HAL 0', '1x', '2x', 2),
    ...ofPart('band 0', 'outer race', 'gear mesh', 4),
    ...ofPart('band 1', '0 Hz to 100 Hz', '0 Hz to 200 Hz', 4),
  ]);
});

/** How long processes are killed (s): some seconds show that it works, minutes that it holds. */
const CHAOS_SECONDS = Number(process.env['JOURNAL_CHAOS_SECONDS'] ?? 20);

test(
  'three processes, killed at random under load, with a PostgreSQL that crashes: the journal equals the stream',
  async () => {
    await begin();
    const load = startNodeLoad(20, 150, publisher);
    const running = new Set([forward(), forward(), forward()]);
    onTestFinished(async () => {
      await Promise.all([...running].map((one) => one.stop()));
    });
    const count = async () =>
      Number((await postgres.ask<{ count: string }>('SELECT count(*) FROM point_alarm.status_change'))[0]?.count);
    await vi.waitFor(async () => expect(await count()).toBeGreaterThan(50), soon);
    /** As a supervisor does. A process ends by itself only at its start, where PostgreSQL is away. */
    const restartEnded = (): void => {
      for (const one of [...running].filter((process) => !process.isRunning())) {
        expect(one.said()).not.toContain('forwarding');
        running.delete(one);
        running.add(forward());
      }
    };
    let kills = 0;
    for (const end = performance.now() + CHAOS_SECONDS * 1_000; performance.now() < end;) {
      await sleep(300 + Math.random() * 1_200);
      restartEnded();
      const atWork = [...running].filter((one) => one.said().includes('forwarding'));
      const victim = atWork[Math.floor(Math.random() * atWork.length)];
      if (victim === undefined) continue;
      await victim.stop();
      running.delete(victim);
      running.add(forward());
      kills += 1;
      if (kills === 5) {
        await postgres.kill();
        await sleep(1_500);
        await postgres.restart();
      }
    }
    const events = await load.stop();
    const expected = journalRows(events);
    const caughtUp = async (): Promise<void> => {
      restartEnded();
      expect(await count()).toBeGreaterThanOrEqual(expected.length);
    };
    await vi.waitFor(caughtUp, { ...soon, timeout: 180_000 });
    expect(await journal()).toEqual(expected);
    expect(await redis.xLen(`${stream}:point-alarm-journal:aside`)).toBe(0);
    console.log(`${kills} kills, ${load.published()} events, ${expected.length} changes`);
  },
  300_000 + CHAOS_SECONDS * 1_000,
);

describe('the questions of docs/journal.md', () => {
  const document = readFileSync(join(projectRoot, 'docs/journal.md'), 'utf8');
  const questions = new Map(
    [...document.matchAll(/^ *```sql\n *-- ([^\n]+)\n(.*?)^ *```$/gmsu)].map(([, name = '', sql = '']) => [name, sql]),
  );
  const ask = <A = Readonly<Record<string, unknown>>>(name: string, given = anId(0)) =>
    postgres.ask<A>((questions.get(name) ?? '').replace(/:'\w+'/gu, `'${given}'`));
  const HOUR = 3_600_000;

  /** Publishes what a node does with commands at times before now (hours). */
  const publish = async (id: string, ...commands: ReadonlyArray<readonly [hoursAgo: number, Sent]>): Promise<void> => {
    const { take } = publishingNode(publisher, id);
    for (const [hours, command] of commands) await take(command, now - hours * HOUR);
  };
  let now: number;
  const measured = (y: number, n: number): Sent => recordMeasurement(dataPoint(y, { measurementId: anId(n) }));
  beforeAll(async () => {
    await begin();
    now = Date.now();
    await publish(
      anId(0),
      [100, setThreshold(overall)],
      [90, measured(25, 1)],
      [80, measured(0, 2)],
      [70, measured(25, 3)],
      [60, setExternalAlarm({ status: 3 })],
      [50, measured(0, 4)],
      [40, setExternalAlarm({ status: 2 })],
    );
    await publish(anId(1), [30, setThreshold(overall)], [20, measured(25, 1)]);
    await publish(
      anId(2),
      [30, setThreshold(overall)],
      [10, measured(10, 1)],
      [5, setThreshold({ ...overall, fullScale: 5 })],
    );
    await catchUp();
  });

  test('are answered, and a reader may ask them', async () => {
    const named = [
      'in danger',
      'flapping',
      'last night',
      'thresholds',
      'worst ten',
      'most frequent',
      'newest',
      'terminated',
    ];
    expect([...questions.keys()]).toEqual([...named, 'reader']);
    await postgres.ask('CREATE ROLE grafana');
    await ask('reader');
    const granted = `SELECT has_table_privilege('grafana', 'point_alarm.part', 'SELECT') AS granted`;
    expect(await postgres.ask(granted)).toEqual([{ granted: true }]);
    await postgres.ask('DROP OWNED BY grafana');
    await postgres.ask('DROP ROLE grafana');
    const ago = (hours: number): Date => new Date(now - hours * HOUR);
    expect(await ask('in danger')).toEqual([
      expect.objectContaining({ node: anId(1), part: 'overall', since: ago(20), measurement: anId(1) }),
    ]);
    expect(await ask('flapping')).toEqual([
      { part: 'overall', label: null, rises: '2', changes: '5', last_change: ago(50) },
      { part: 'external', label: null, rises: '1', changes: '2', last_change: ago(40) },
    ]);
    const [last, ...others] = await ask('thresholds');
    const previous = { nodeId: anId(2), ...overall };
    expect(last).toMatchObject({
      node: anId(2),
      user_id: userId,
      revision: '2',
      threshold: { fullScale: 5 },
      previous,
    });
    expect(others).toHaveLength(3);
  });

  test('the parts that alarmed most often', async () => {
    const asked = (questions.get('most frequent') ?? '').replace(/\('.*'\)/u, `(now() - interval '7 days', now())`);
    const row = (n: number, part: string, alarms: string) => ({
      ...{ node: anId(n), part, label: null, alarms, chattering: '0', fleeting: '0' },
    });
    expect(await postgres.ask(asked)).toEqual([
      row(0, 'overall', '2'),
      row(0, 'external', '1'),
      row(1, 'overall', '1'),
      row(2, 'overall', '1'),
    ]);
  });

  test('what changed last night', async () => {
    const [{ night } = {}] = await postgres.ask<{ night?: Date }>(`SELECT current_date + interval '1 hour' AS night`);
    // The night of the rows is long past: the question is asked of a night in which one of them lies.
    const asked = (questions.get('last night') ?? '').replaceAll(
      'current_date',
      `(current_date + (timestamptz '${new Date(now - 20 * HOUR).toISOString()}' - timestamptz '${night?.toISOString() ?? ''}'))`,
    );
    expect(await postgres.ask(asked)).toEqual([
      expect.objectContaining({ node: anId(1), part: 'overall', before: 'NO_DATA', after: 'DANGER', user_id: userId }),
    ]);
  });

  test('the worst nodes by time in ALERT or worse', async () => {
    // Node 0: 90 to 80, and 70 to 40 hours ago, where two parts overlap.
    expect((await ask('worst ten')).map(({ node }) => node)).toEqual([anId(0), anId(1), anId(2)]);
    const hours = await postgres.ask(
      `SELECT round(extract(epoch FROM in_alarm) / 3600)::int AS hours FROM (${(questions.get('worst ten') ?? '').replace(';', '')}) AS worst`,
    );
    expect(hours).toEqual([{ hours: 40 }, { hours: 20 }, { hours: 10 }]);
  });

  const panels = dashboardPanels('alarm-journal.json', `(now() - interval '7 days')`, 'now()');
  test.each(panels)('the dashboard panel "$title" has an answer', async ({ sql }) => {
    expect(sql).not.toContain('$__');
    expect(await postgres.ask(sql)).not.toEqual([]);
  });

  test('nodes that published nothing more are deleted', async () => {
    const [{ max } = {}] = await ask<{ max?: string }>('newest');
    for (const n of [0, 1]) await publish(anId(n), [0, setThreshold(overall)]);
    await catchUp();
    await ask('terminated', max);
    expect(await postgres.ask('SELECT DISTINCT node FROM point_alarm.part ORDER BY node')).toEqual(
      [0, 1].map((n) => ({ node: anId(n) })),
    );
  });
});

test('what is wrong has its exit code and is said', async () => {
  await begin();
  await catchUp();
  await postgres.ask(`CREATE ROLE poor LOGIN PASSWORD 'poor'`);
  const changed = (change: (good: URL) => void): string => {
    const given = new URL(postgres.url);
    change(given);
    return given.href;
  };
  const rows: ReadonlyArray<readonly [code: number, said: RegExp, url: string, redis?: string]> = [
    [
      3,
      /^PostgreSQL at 127\.0\.0\.1:1\/postgres does not answer: .*ECONNREFUSED/u,
      changed((good) => (good.port = '1')),
    ],
    [4, /denies access: password authentication failed/u, changed((good) => (good.password = 'x'))],
    [2, /database "none" does not exist/u, changed((good) => (good.pathname = '/none'))],
    [2, /'--url <url>'.*begins with postgres:/u, 'http://127.0.0.1/'],
    [4, /permission denied for/u, changed((good) => ([good.username, good.password] = ['poor', 'poor']))],
    [3, /Redis at 127\.0\.0\.1:1 does not answer: .*ECONNREFUSED/u, postgres.url, 'redis://127.0.0.1:1'],
    [2, /the journal is of version 99/u, postgres.url],
  ];
  for (const [code, said, given, redisUrl = url] of rows) {
    if (said.source.includes('version 99'))
      await postgres.ask(`INSERT INTO point_alarm.migration VALUES (99, 'later')`); // it hides what would come after it
    const ended = runPas(['forward', 'postgres', '--url', given], { REDIS_URL: redisUrl, EVENT_STREAM: stream });
    expect([await ended.exited, ended.said()]).toEqual([code, expect.stringMatching(said)]);
    expect(ended.said()).not.toContain(PASSWORD);
  }
});
