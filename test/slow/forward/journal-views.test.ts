import { setTimeout as sleep } from 'node:timers/promises';
import { fc, test as property } from '@fast-check/vitest';
import { Client } from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { alarmViews } from '../../../cli/forward/postgres/alarm-views';
import { openAlarmJournal } from '../../../cli/forward/postgres/journal';
import {
  acknowledgedOf,
  alarmsOf,
  byPartOf,
  floodsOf,
  HOUR,
  MINUTE,
  SECOND,
  standingOf,
  tenMinutesOf,
  type Acknowledgement,
  type Alarm,
  type Change,
} from '../../support/forward/alarm-oracle';
import { startOwnPostgres } from '../../support/forward/own-postgres';
import { forFile } from '../../support/for-file';
import { anId } from '../../support/scenario';

const postgres = forFile(startOwnPostgres, ({ stop }) => stop());
const ask = <Row = Readonly<Record<string, unknown>>>(sql: string, values?: ReadonlyArray<unknown>) =>
  postgres.ask<Row>(sql, values);

beforeAll(() => upgrade());
const empty = () =>
  ask('TRUNCATE point_alarm.status_change, point_alarm.alarm, point_alarm.acknowledgement, point_alarm.part');
beforeEach(empty);

const START = Date.UTC(2026, 9, 1);
const END = Date.UTC(2026, 10, 1);

/** A status that a part gets at a time after START (ms), in the order of the list. */
type Step = readonly [after: number, to: number, part?: string, node?: number, label?: string | null];

/** The changes that come of steps, in order. */
const changesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Change> => {
  const known = new Map<string, number>();
  return steps.flatMap(([after, to_status, part = 'overall', n = 0, label = null], index) => {
    const node = anId(n);
    const from_status = known.get(node + part) ?? 0;
    known.set(node + part, to_status);
    if (from_status === to_status) return [];
    const sequence_id = String(index).padStart(26, '0');
    return [{ node, part, label, sequence_id, from_status, to_status, at: START + after }];
  });
};

const write = async (changes: ReadonlyArray<Change>, acknowledgements: ReadonlyArray<Acknowledgement> = []) => {
  await ask(
    `INSERT INTO point_alarm.status_change (node, part, label, sequence_id, from_status, to_status, at, user_id)
     SELECT node, part, label, sequence_id, from_status, to_status, to_timestamp(at / 1000.0), 'user'
     FROM jsonb_to_recordset($1) AS given (node uuid, part text, label text, sequence_id text, from_status smallint, to_status smallint, at bigint)
     ORDER BY sequence_id, to_status`,
    [JSON.stringify(changes)],
  );
  await ask(
    `INSERT INTO point_alarm.part (node, part, status, since)
     SELECT DISTINCT ON (node, part) node, part, to_status, at FROM point_alarm.status_change
     ORDER BY node, part, sequence_id DESC, to_status DESC`,
  );
  await ask(
    `INSERT INTO point_alarm.acknowledgement
     SELECT id, node, part, to_timestamp(at / 1000.0), to_timestamp(at / 1000.0) + interval '1 hour', 'user', ''
     FROM jsonb_to_recordset($1) AS given (id text, node uuid, part text, at bigint)`,
    [JSON.stringify(acknowledgements)],
  );
};

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float AS ${column}`;
const times = (since: number, until: number) => [new Date(since), new Date(until)];

const alarms = () =>
  ask<Alarm>(
    `SELECT node, part, label, ${ms('began')}, ${ms('ended')}, chatters FROM point_alarm.alarm ORDER BY sequence_id, node, part`,
  );
const tenMinutes = (since: number, until: number) =>
  ask(`SELECT ${ms('at')}, alarms::int FROM point_alarm.alarms_by_ten_minutes($1, $2)`, times(since, until));
const floods = (since: number, until: number) =>
  ask(
    `SELECT ${ms('began')}, ${ms('ended')}, alarms::int FROM point_alarm.floods($1, $2) AS flood ORDER BY flood.began`,
    times(since, until),
  );
const byPart = (since: number, until: number) =>
  ask(
    `SELECT node, part, label, alarms::int, chattering::int, fleeting::int FROM point_alarm.alarms_by_part($1, $2)`,
    times(since, until),
  );
const standing = (since: number, until: number) =>
  ask(
    `SELECT node, part, label, ${ms('began')}, ${ms('ended')} FROM point_alarm.standing($1, $2)`,
    times(since, until),
  );
const acknowledged = (since: number, until: number) =>
  ask(`SELECT node, part, ${ms('began')}, ${ms('after')} FROM point_alarm.acknowledged($1, $2)`, times(since, until));

/** Steps of an alarm that begins `after` START and lasts for so long. */
const alarm = (after: number, lasts: number, part = 'overall'): ReadonlyArray<Step> => [
  [after, 3, part],
  [after + lasts, 2, part],
];

describe('an alarm', () => {
  const row = (began: number, ended: number | null, label: string | null = null, chatters = false) => ({
    ...{ node: anId(0), part: 'overall', label, chatters },
    ...{ began: START + began, ended: ended === null ? null : START + ended },
  });
  const rows: ReadonlyArray<readonly [rule: string, steps: ReadonlyArray<Step>, alarms: ReadonlyArray<Alarm>]> = [
    [
      'lasts from ALERT to GOOD',
      [
        [0, 3],
        [5, 2],
      ],
      [row(0, 5)],
    ],
    [
      'lasts from DANGER to NO_DATA',
      [
        [0, 4],
        [5, 1],
      ],
      [row(0, 5)],
    ],
    [
      'lasts until the part is gone',
      [
        [0, 4],
        [5, 0],
      ],
      [row(0, 5)],
    ],
    [
      'is one, whether it gets worse or better',
      [
        [0, 3],
        [5, 4],
        [6, 3],
        [7, 2],
      ],
      [row(0, 7)],
    ],
    [
      'has no end while it lasts',
      [
        [0, 2],
        [5, 3],
      ],
      [row(5, null)],
    ],
    [
      'may last for no time',
      [
        [0, 3],
        [0, 2],
        [0, 3],
        [0, 2],
      ],
      [row(0, 0), row(0, 0)],
    ],
    [
      'does not begin by NO_DATA',
      [
        [0, 1],
        [5, 2],
        [6, 1],
      ],
      [],
    ],
    [
      'chatters as the third in less than a minute, with the two before',
      [0, 30, 59.999].flatMap((at) => alarm(at * SECOND, 1)),
      [0, 30, 59.999].map((at) => row(at * SECOND, at * SECOND + 1, null, true)),
    ],
    [
      'does not chatter as the third in a minute',
      [0, 30, 60].flatMap((at) => alarm(at * SECOND, 1)),
      [0, 30, 60].map((at) => row(at * SECOND, at * SECOND + 1)),
    ],
    [
      'chatters though the one before it does not',
      [0, 50, 70, 90].flatMap((at) => alarm(at * SECOND, 1)),
      [0, 50, 70, 90].map((at) => row(at * SECOND, at * SECOND + 1, null, at > 0)),
    ],
  ];
  test.each(rows)('%s', async (_, steps, expected) => {
    await write(changesOf(steps));
    expect(await alarms()).toEqual(expected);
    expect(alarmsOf(changesOf(steps))).toEqual(expected);
  });

  test('ends where another begins: its part was deleted, and came again', async () => {
    const rises = [1, 2].flatMap((at) =>
      changesOf([[at, 3]]).map((change) => ({ ...change, sequence_id: String(at) })),
    );
    await write(rises);
    expect(await alarms()).toEqual([row(1, 2), row(2, null)]);
    expect(alarmsOf(rises)).toEqual([row(1, 2), row(2, null)]);
  });

  test('of a band ends, and another begins, where its place gets another label', async () => {
    const at = (after: number, from_status: number, to_status: number, label: string): Change => ({
      ...{
        node: anId(0),
        part: 'band 0',
        sequence_id: String(after),
        label,
        from_status,
        to_status,
        at: START + after,
      },
    });
    // The rise may be written before the fall: both are of one event.
    await write([at(1, 0, 4, 'a'), at(2, 0, 3, 'b'), at(2, 4, 0, 'a')]);
    expect((await alarms()).map(({ label, began, ended }) => [label, began - START, ended])).toEqual([
      ['a', 1, START + 2],
      ['b', 2, null],
    ]);
  });
});

describe('floods', () => {
  const MANY = 11;
  const rows: ReadonlyArray<
    readonly [rule: string, counts: ReadonlyArray<number>, floods: ReadonlyArray<readonly [from: number, to: number]>]
  > = [
    ['begin above ten alarms in ten minutes', [10, MANY], [[1, 2]]],
    ['do not begin at ten', [10, 10, 10], []],
    ['go on from five alarms', [MANY, 5, 5], [[0, 3]]],
    ['end below five', [MANY, 4, 9, 10], [[0, 1]]],
    [
      'end where there is no alarm',
      [MANY, 0, MANY],
      [
        [0, 1],
        [2, 3],
      ],
    ],
  ];
  test.each(rows)('%s', async (_, counts, expected) => {
    const steps = counts.flatMap((count, bin) =>
      Array.from({ length: count }, (_, at) => alarm(bin * 10 * MINUTE + at * SECOND, 10, `band ${at}`)).flat(),
    );
    await write(changesOf(steps));
    const until = START + counts.length * 10 * MINUTE;
    const found = (await floods(START, until)) as ReadonlyArray<{ began: number; ended: number }>;
    expect(found.map(({ began, ended }) => [began, ended].map((at) => (at - START) / 10 / MINUTE))).toEqual(expected);
    expect(found).toEqual(floodsOf(tenMinutesOf(alarmsOf(changesOf(steps)), START, until), until));
  });
});

describe('fleeting', () => {
  test.each([
    ['lasts less than a minute', alarm(0, MINUTE - 1), 1],
    ['does not last a minute', alarm(0, MINUTE), 0],
    ['has ended', [[0, 3]] as ReadonlyArray<Step>, 0],
    ['does not chatter', [0, 1, 2].flatMap((at) => alarm(at * SECOND, 10)), 0],
  ])('is what %s', async (_, steps, fleeting) => {
    await write(changesOf(steps));
    expect(await byPart(START, END)).toEqual([expect.objectContaining({ fleeting })]);
  });
});

describe('standing', () => {
  const DAY = 24 * HOUR;
  test.each([
    ['more than 24 hours', alarm(0, DAY + 1), 1],
    ['24 hours', alarm(0, DAY), 0],
    ['with more than 24 hours before the end', [[31 * DAY - DAY - 1, 3]] as ReadonlyArray<Step>, 1],
    ['with 24 hours before the end', [[31 * DAY - DAY, 3]] as ReadonlyArray<Step>, 0],
    ['until the begin', alarm(-3 * DAY, 3 * DAY), 0],
    ['until after the begin', alarm(-3 * DAY, 3 * DAY + 1), 1],
    ['until after the end', alarm(0, 40 * DAY), 1],
  ])('%s', async (_, steps, count) => {
    await write(changesOf(steps));
    expect(await standing(START, END)).toHaveLength(count);
  });

  test('are no alarms of a node that was deleted', async () => {
    await write(changesOf([[0, 3]]));
    await ask('DELETE FROM point_alarm.part');
    expect(await standing(START, END)).toEqual([]);
  });
});

describe('acknowledged', () => {
  const ofNode = (after: number, part: string | null = null, id = 'a'): Acknowledgement => ({
    ...{ id, node: anId(0), part, at: START + after },
  });
  test.each([
    ['while it lasts', [ofNode(5)], 5],
    ['as it begins', [ofNode(0)], 0],
    ['before it begins', [ofNode(-1)], undefined],
    ['when it is over', [ofNode(10)], undefined],
    ['twice: the first counts', [ofNode(7), ofNode(6, null, 'b')], 6],
    ['by its part', [ofNode(5, 'overall')], 5],
    ['by another part', [ofNode(5, 'external')], undefined],
  ])('%s', async (_, acknowledgements, after) => {
    await write(changesOf(alarm(0, 10)), acknowledgements);
    const expected = after === undefined ? [] : [expect.objectContaining({ after })];
    expect(await acknowledged(START, END)).toEqual(expected);
  });
});

const gap = fc.constantFrom(
  0,
  1,
  1,
  10 * SECOND,
  20 * SECOND,
  30 * SECOND,
  MINUTE - 1,
  MINUTE,
  10 * MINUTE,
  HOUR,
  23 * HOUR,
  30 * HOUR,
);
const stepsArbitrary = fc
  .array(
    fc.record({
      gap,
      to: fc.constantFrom(0, 1, 2, 2, 3, 3, 4),
      part: fc.constantFrom('overall', 'band 0'),
      node: fc.constantFrom(0, 1),
      label: fc.constantFrom('low', 'high'),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((drawn) => {
    let at = 0;
    return drawn.map(({ gap: pause, to, part, node, label }): Step => {
      at += pause;
      return [at, to, part, node, part === 'overall' ? null : label];
    });
  });
const acknowledgementsArbitrary = fc.array(
  fc.record({ node: fc.constantFrom(0, 1), part: fc.constantFrom(null, 'overall', 'band 0'), share: fc.nat(1_000) }),
  { maxLength: 5 },
);
const periodArbitrary = fc.tuple(fc.nat(500), fc.nat(1_200)).map(([from, length]) => [from, from + length] as const);

const sorted = <A>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

property.prop([stepsArbitrary, acknowledgementsArbitrary, periodArbitrary], { numRuns: 60 })(
  'the views agree with a brute force in memory, in a journal that was written as in one that was upgraded',
  async (steps, drawn, [from, to]) => {
    await empty();
    const changes = changesOf(steps);
    const last = Math.max(...steps.map(([at]) => at), 1);
    const placed = (share: number): number => START + Math.floor((last * share) / 1_000);
    const given = drawn.map(({ node, part, share }, id) => ({
      id: String(id),
      node: anId(node),
      part,
      at: placed(share),
    }));
    const [since, until] = [placed(from), placed(to) + 1];
    await write(changes, given);
    const expected = alarmsOf(changes);
    for (const isUpgraded of [false, true]) {
      if (isUpgraded) {
        await downgrade();
        await upgrade();
      }
      expect(sorted(await alarms())).toEqual(sorted(expected));
      expect(await tenMinutes(since, until)).toEqual(tenMinutesOf(expected, since, until));
      expect(await floods(since, until)).toEqual(floodsOf(tenMinutesOf(expected, since, until), until));
      expect(sorted(await byPart(since, until))).toEqual(sorted(byPartOf(expected, since, until)));
      const stood = standingOf(expected, since, until).map(({ chatters: _, ...others }) => others);
      expect(sorted(await standing(since, until))).toEqual(sorted(stood));
      const found = isUpgraded ? [] : acknowledgedOf(expected, given, since, until);
      expect(sorted(await acknowledged(since, until))).toEqual(sorted(found));
    }
  },
);

property.prop([fc.array(fc.nat(13), { minLength: 1, maxLength: 30 })], { numRuns: 30 })(
  'floods agree with a brute force in memory, whatever the alarms in ten minutes',
  async (counts) => {
    await empty();
    await ask(
      `INSERT INTO point_alarm.alarm (node, part, sequence_id, began, chatters)
       SELECT $1, bin || ' ' || n, '', to_timestamp($2 / 1000.0) + bin * interval '10 minutes', false
       FROM unnest($3::int[]) WITH ORDINALITY AS given (count, bin), generate_series(1, count) AS n`,
      [anId(0), START, counts],
    );
    const until = START + (counts.length + 2) * 10 * MINUTE;
    const tens = [0, ...counts, 0].map((alarms, bin) => ({ at: START + bin * 10 * MINUTE, alarms }));
    expect(await tenMinutes(START, until)).toEqual(tens);
    expect(await floods(START, until)).toEqual(floodsOf(tens, until));
  },
);

/** Takes the journal back to version 2. */
const downgrade = () =>
  ask(`BEGIN;
    DROP VIEW point_alarm.silence;
    DROP TABLE point_alarm.alarm, point_alarm.acknowledgement;
    DROP FUNCTION point_alarm.keep_alarm CASCADE;
    DROP FUNCTION point_alarm.floods, point_alarm.alarms_by_ten_minutes, point_alarm.alarms_by_part,
      point_alarm.standing, point_alarm.acknowledged;
    ALTER TABLE point_alarm.place DROP COLUMN measured_at;
    DELETE FROM point_alarm.migration WHERE version = 3;
    COMMIT`);

const upgrade = async (): Promise<ReadonlyArray<string>> => {
  const { migrated, close } = await openAlarmJournal(postgres.url, 'PostgreSQL', 10_000);
  await close();
  return migrated;
};

/** Writes as a forwarder of the release before does, which knows no alarms, until it is stopped. */
const startOldWriter = (node: string) => {
  const stopping = new AbortController();
  const written = (async (): Promise<number> => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    let changes = 0;
    while (!stopping.signal.aborted) {
      const [before, after] = changes % 2 === 0 ? [2, 4] : [4, 2];
      try {
        await client.query(`BEGIN; SET LOCAL lock_timeout = 1000`);
        await client.query(
          `INSERT INTO point_alarm.place VALUES ($1, $2)
           ON CONFLICT (node) DO UPDATE SET sequence_id = excluded.sequence_id`,
          [node, String(changes).padStart(26, '0')],
        );
        await client.query(
          `INSERT INTO point_alarm.status_change (node, part, sequence_id, from_status, to_status, at, user_id)
           VALUES ($1, 'overall', $2, $3, $4, now(), 'user')`,
          [node, String(changes).padStart(26, '0'), before, after],
        );
        await client.query(
          `INSERT INTO point_alarm.part (node, part, status, since) VALUES ($1, 'overall', $2, now())
           ON CONFLICT (node, part) DO UPDATE SET status = excluded.status, since = excluded.since`,
          [node, after],
        );
        await client.query('COMMIT');
        changes += 1;
      } catch {
        await client.query('ROLLBACK');
      }
    }
    await client.end();
    return changes;
  })();
  const stop = (): Promise<number> => {
    stopping.abort();
    return written;
  };
  return { stop };
};

test('a journal is upgraded while forwarders of the release before write, and has the alarms of both', async () => {
  await downgrade();
  await ask(
    `INSERT INTO point_alarm.status_change (node, part, sequence_id, from_status, to_status, at, user_id)
     SELECT $1, 'band ' || n % 50, lpad(n::text, 26, '0'), CASE WHEN n / 50 % 2 = 0 THEN 0 ELSE 3 END,
       CASE WHEN n / 50 % 2 = 0 THEN 3 ELSE 0 END, to_timestamp($2 / 1000.0) + n * interval '1 minute', 'user'
     FROM generate_series(0, 99999) AS n`,
    [anId(0), START],
  );
  const writers = [1, 2, 3, 4].map((n) => startOldWriter(anId(n)));
  await sleep(500);
  expect(await upgrade()).toEqual([alarmViews.name]);
  await sleep(500);
  const written = await Promise.all(writers.map(({ stop }) => stop()));
  expect(Math.min(...written)).toBeGreaterThan(20);
  const compared = await ask(`
    SELECT node, count(*) FILTER (WHERE to_status >= 3)::int AS rises, count(*) FILTER (WHERE to_status < 3)::int AS falls,
      (SELECT count(*)::int FROM point_alarm.alarm WHERE alarm.node = change.node) AS alarms,
      (SELECT count(ended)::int FROM point_alarm.alarm WHERE alarm.node = change.node) AS ended
    FROM point_alarm.status_change AS change GROUP BY node ORDER BY node`);
  const expected = [100_000, ...written].map((changes, n) => {
    const [rises, falls] = [Math.ceil(changes / 2), Math.floor(changes / 2)];
    return { node: anId(n), rises, falls, alarms: rises, ended: falls };
  });
  expect(compared).toEqual(expected);
});
