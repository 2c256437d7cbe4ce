import type { ClientBase } from 'pg';
import { unusable } from '../../failure';

/**
 * The changes of the journal's schema, of the versions 1, 2, 3...: what was released is never changed; the next one is added. Ids
 * are compared by their bytes: hence the collation "C".
 */
const migrations = [
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
];

/** Any number; processes that migrate at once take turns by it. */
const LOCK = 7_265_110;

/** Brings the journal's schema up to this release, each step in a transaction. Answers the names of the steps that were taken. */
export const migrate = async (client: ClientBase, server: string): Promise<ReadonlyArray<string>> => {
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  try {
    const [done, known] = [await appliedVersion(client), migrations.length];
    if (done > known) throw unusable(`${server}: the journal is of version ${done}, this release knows ${known}`);
    const due = migrations.slice(done);
    for (const [index, { name, sql }] of due.entries())
      await inTransaction(client, async () => {
        await client.query(sql);
        const row = [done + index + 1, name];
        await client.query(`INSERT INTO point_alarm.migration (version, name) VALUES ($1, $2)`, row);
      });
    return due.map(({ name }) => name);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  }
};

export const inTransaction = async (client: ClientBase, work: () => Promise<void>): Promise<void> => {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    // Where the connection is lost, so is the transaction.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

/** The right to create schemas is needed only where there is no journal yet. */
const appliedVersion = async (client: ClientBase): Promise<number> => {
  const found = await client.query<{ table: string | null }>(
    `SELECT to_regclass('point_alarm.migration')::text AS table`,
  );
  if (found.rows[0]?.table == null) {
    await client.query('CREATE SCHEMA IF NOT EXISTS point_alarm');
    await client.query(`CREATE TABLE point_alarm.migration
      (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  }
  const { rows } = await client.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM point_alarm.migration',
  );
  return rows[0]?.version ?? 0;
};
