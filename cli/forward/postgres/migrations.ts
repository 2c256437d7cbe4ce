import type { ClientBase } from 'pg';
import { CommandFailure, exitCodes, unusable } from '../../failure';
import { alarmViews } from './alarm-views';

/**
 * The steps of the journal's schema, for the versions 1, 2, 3 and so on. A released step never changes; a change is a new step.
 * Sequence ids must compare by their bytes, so their collation is "C".
 */
export const migrations = [
  {
    name: 'status changes, parts, threshold changes',
    sql: `
CREATE TABLE point_alarm.status (
  status smallint PRIMARY KEY,
  name text NOT NULL UNIQUE
);
INSERT INTO point_alarm.status VALUES (0, 'NOT_CONFIGURED'), (1, 'NO_DATA'), (2, 'GOOD'), (3, 'ALERT'), (4, 'DANGER');

CREATE TABLE point_alarm.place (
  node uuid PRIMARY KEY,
  sequence_id text COLLATE "C" NOT NULL
);
COMMENT ON TABLE point_alarm.place IS 'The last event of each node that the journal holds.';

CREATE TABLE point_alarm.part (
  node uuid NOT NULL,
  part text NOT NULL,
  label text,
  status smallint NOT NULL REFERENCES point_alarm.status,
  since timestamptz NOT NULL,
  measurement uuid,
  value double precision,
  unit text,
  PRIMARY KEY (node, part)
);
CREATE INDEX part_status ON point_alarm.part (status, since);
COMMENT ON TABLE point_alarm.part IS 'Each part of each node as it is now, and since when it has its status.';

CREATE TABLE point_alarm.status_change (
  node uuid NOT NULL,
  part text NOT NULL,
  sequence_id text COLLATE "C" NOT NULL,
  label text,
  from_status smallint NOT NULL REFERENCES point_alarm.status,
  to_status smallint NOT NULL REFERENCES point_alarm.status,
  at timestamptz NOT NULL,
  measurement uuid,
  value double precision,
  unit text,
  user_id text NOT NULL,
  request_id text,
  PRIMARY KEY (node, part, sequence_id)
);
CREATE INDEX status_change_at ON point_alarm.status_change (at);
COMMENT ON TABLE point_alarm.status_change IS 'Each change of the status of a part. 0 stands for a part that the node did not hold, or holds no more.';

CREATE TABLE point_alarm.threshold_change (
  node uuid NOT NULL,
  revision bigint NOT NULL,
  at timestamptz NOT NULL,
  user_id text NOT NULL,
  request_id text,
  sequence_id text COLLATE "C" NOT NULL,
  threshold jsonb NOT NULL,
  PRIMARY KEY (node, revision, at)
);
CREATE INDEX threshold_change_at ON point_alarm.threshold_change (at);
COMMENT ON TABLE point_alarm.threshold_change IS 'Each threshold that was set, whole.';
`,
  },
  {
    name: 'a band or HAL that ends, and another that begins at its place, by one event',
    sql: `
ALTER TABLE point_alarm.status_change
  DROP CONSTRAINT status_change_pkey,
  ADD PRIMARY KEY (node, part, sequence_id, to_status);
`,
  },
  alarmViews,
];

/** The key of a lock (any number) by which processes that migrate at once take turns. */
const LOCK = 7_265_110;
/** Time limit (ms) of a step, which may rewrite a large table. */
const STEP_MS = 3_600_000;

/**
 * Brings the journal's schema up to this release, in the transaction of `client`. Returns the names of the steps taken.
 * Errors: throws a `CommandFailure`, or an error of PostgreSQL.
 */
export const migrate = async (client: ClientBase, server: string): Promise<ReadonlyArray<string>> => {
  const { rows: modes } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (modes[0]?.transaction_read_only === 'on')
    throw new CommandFailure(exitCodes.notReachable, [`${server} takes no writes: it is a standby, or read-only`]);
  await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  const found = await versionOf(client);
  if (found === undefined) await client.query(MAKE);
  const [done, known] = [found ?? 0, migrations.length];
  if (done > known) throw unusable(`${server}: the journal is of version ${done}, this release knows ${known}`);
  const due = migrations.slice(done);
  for (const [index, { name, sql }] of due.entries()) {
    const step = { text: `SET LOCAL statement_timeout = ${STEP_MS}; ${sql}`, query_timeout: STEP_MS };
    await client.query(step);
    const row = [done + index + 1, name];
    await client.query(`INSERT INTO point_alarm.migration (version, name) VALUES ($1, $2)`, row);
  }
  return due.map(({ name }) => name);
};

/** Makes an empty journal, for which the user needs a privilege. */
const MAKE = `CREATE SCHEMA IF NOT EXISTS point_alarm;
CREATE TABLE point_alarm.migration
  (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;

/** The version of the schema; undefined if there is no journal. */
const versionOf = async (client: ClientBase): Promise<number | undefined> => {
  const { rows: found } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('point_alarm.migration') IS NOT NULL AS there`,
  );
  if (found[0]?.there !== true) return undefined;
  const { rows } = await client.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM point_alarm.migration',
  );
  return rows[0]?.version ?? 0;
};

/** Errors: it throws a `CommandFailure` if the journal's schema is not that of this release; only `migrate` changes it. */
export const requirePresentSchema = async (client: ClientBase, server: string): Promise<void> => {
  const upgrade = 'pas forward postgres of this release makes and upgrades it when it starts';
  const version = await versionOf(client);
  if (version === undefined) throw unusable(`${server} holds no journal: ${upgrade}`);
  if (version !== migrations.length)
    throw unusable(
      `${server}: the journal is of version ${version}, this release needs ${migrations.length}: ${upgrade}`,
    );
};
