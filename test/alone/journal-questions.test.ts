import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alarmViews } from '../../cli/forward/postgres/alarm-views';
import { migrate, migrations } from '../../cli/forward/postgres/migrations';
import { forFile } from '../support/for-file';
import { startOwnPostgres } from '../support/forward/own-postgres';

/*
 * How long the journal's views take, a year of changes being in it, of 5,000 parts of 2,500 nodes; and how long its upgrade
 * took. `JOURNAL_ROWS=10000000` gives the figures of docs/contributing/benchmarks.md, in some minutes.
 */

const ROWS = Number(process.env['JOURNAL_ROWS'] ?? 200_000);
const [PARTS, SILENT_PARTS] = [5_000, 100_000];
const HALF_HOUR_MS = 1_800_000;

const postgres = forFile(startOwnPostgres, ({ stop }) => stop());
let client: Client;
const run = async (sql: string, values: ReadonlyArray<unknown> = []) => {
  const began = performance.now();
  const { rows } = await client.query<Readonly<Record<string, unknown>>>(sql, [...values]);
  return { rows, ms: performance.now() - began };
};

/**
 * Changes of parts that alarm again and again, each twice a spacing: most for a random time, one in ten for half a minute, one
 * in a hundred ten times within two minutes, and one in a hundred for ten spacings.
 */
const FILL = `
INSERT INTO point_alarm.status_change (node, part, sequence_id, label, from_status, to_status, at, measurement, user_id)
SELECT md5((p / 2)::text)::uuid, CASE WHEN p % 2 = 0 THEN 'overall' ELSE 'band 3' END, lpad(n::text, 26, '0'),
  CASE WHEN p % 2 = 1 THEN 'outer race ' || p END, CASE WHEN n % 2 = 0 THEN 2 ELSE 4 END, CASE WHEN n % 2 = 0 THEN 4 ELSE 2 END,
  timestamptz '2025-01-01Z' + interval '365 days' / $1 * CASE
    WHEN p % 100 = 1 THEN n / 20 * 20 + p / 100 % 20 + n % 2 * 10
    WHEN p % 100 = 2 THEN n / 20 * 20 + p / 100 % 20
    WHEN p % 10 = 3 THEN n / 2 * 2
    ELSE n + abs(hashint8(n * ${PARTS} + p)) / 2147483648.0 END
    + CASE WHEN p % 100 = 2 THEN n % 20 * interval '6 seconds' WHEN p % 10 = 3 THEN n % 2 * interval '30 seconds' ELSE interval '0' END,
  md5(n::text)::uuid, 'user'
FROM generate_series(0::bigint, $1 - 1) AS n, generate_series(0, ${PARTS - 1}) AS p
WHERE p % 100 <> 1 OR n % 20 < 2`;

let upgradeMs: number;
beforeAll(async () => {
  client = new Client({ connectionString: postgres.url });
  await client.connect();
  await run(`CREATE SCHEMA point_alarm;
    CREATE TABLE point_alarm.migration (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  for (const [index, { name, sql }] of migrations.slice(0, 2).entries()) {
    await run(sql);
    await run('INSERT INTO point_alarm.migration VALUES ($1, $2)', [index + 1, name]);
  }
  await run('SET session_replication_role = replica'); // without a look at each row's foreign keys
  await run(FILL, [Math.ceil(ROWS / PARTS)]);
  await run('SET session_replication_role = origin');
  const part = `SELECT md5('node ' || p)::uuid, 'overall', 2, now(), md5('measurement ' || p)::uuid`;
  await run(
    `INSERT INTO point_alarm.part (node, part, status, since, measurement) ${part} FROM generate_series(1, ${SILENT_PARTS}) AS p`,
  );
  await run(`INSERT INTO point_alarm.place (node, sequence_id) SELECT node, '' FROM point_alarm.part`);
  await run('ANALYZE');
  const began = performance.now();
  await run('BEGIN');
  expect(await migrate(client, 'PostgreSQL')).toEqual([alarmViews.name]);
  await run('COMMIT');
  upgradeMs = performance.now() - began;
  await run(
    `UPDATE point_alarm.place SET measured_at = now() - interval '2 days' WHERE node < '10000000-0000-0000-0000-000000000000'`,
  );
  await run(`INSERT INTO point_alarm.acknowledgement
    SELECT sequence_id || node || part, node, NULL, began + interval '1 second', began + interval '1 hour', 'mary', ''
    FROM point_alarm.alarm WHERE began >= '2025-10-01Z' AND began < '2025-11-01Z' ORDER BY began LIMIT 1000`);
  await run('VACUUM ANALYZE point_alarm.alarm, point_alarm.part, point_alarm.place, point_alarm.acknowledgement'); // autovacuum does it, later
}, HALF_HOUR_MS);
afterAll(() => client.end());

const OCTOBER = `'2025-10-01Z', '2025-11-01Z'`;
const questions: ReadonlyArray<readonly [name: string, sql: string]> = [
  ['alarms by ten minutes', `SELECT * FROM point_alarm.alarms_by_ten_minutes(${OCTOBER})`],
  ['floods', `SELECT * FROM point_alarm.floods(${OCTOBER})`],
  ['ten most frequent', `SELECT * FROM point_alarm.alarms_by_part(${OCTOBER}) ORDER BY alarms DESC LIMIT 10`],
  ['chattering', `SELECT * FROM point_alarm.alarms_by_part(${OCTOBER}) WHERE chattering > 0`],
  ['fleeting', `SELECT * FROM point_alarm.alarms_by_part(${OCTOBER}) WHERE fleeting > 0`],
  ['standing in a month', `SELECT * FROM point_alarm.standing(${OCTOBER})`],
  ['time to acknowledge', `SELECT * FROM point_alarm.acknowledged(${OCTOBER})`],
  ['silent now', `SELECT * FROM point_alarm.silence WHERE silent_for > interval '1 day'`],
];

test('what each question about a month takes', async () => {
  const [{ changes, alarms } = {}] = (
    await run(
      `SELECT (SELECT count(*)::int FROM point_alarm.status_change) AS changes, count(*)::int AS alarms FROM point_alarm.alarm`,
    )
  ).rows;
  const took: Array<Readonly<Record<string, unknown>>> = [];
  for (const [question, sql] of questions) {
    const runs = [];
    for (let round = 0; round < 5; round += 1) runs.push(await run(sql));
    const [, , { ms, rows } = { ms: Infinity, rows: [] }] = runs.toSorted((one, other) => one.ms - other.ms);
    took.push({ question, ms: Math.round(ms), rows: rows.length });
    expect([question, rows.length]).not.toEqual([question, 0]);
  }
  console.log(`${String(changes)} changes, ${String(alarms)} alarms, upgraded in ${Math.round(upgradeMs)} ms`);
  console.table(took);
});
