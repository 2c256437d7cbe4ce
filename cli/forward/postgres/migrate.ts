import type { ClientBase } from 'pg';
import { migrations, SCHEMA } from './migrations';

/** The journal was made by a release that is newer than this one. */
export class NewerJournal extends Error {}

/** Any number; processes that migrate at once take turns by it. */
const LOCK = 7_265_110;

/**
 * Brings the journal's schema up to this release, each step in a transaction. Answers the names of the steps that were taken.
 *
 * Errors: `NewerJournal`; what PostgreSQL refuses.
 */
export const migrate = async (client: ClientBase): Promise<ReadonlyArray<string>> => {
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  try {
    const done = await appliedVersion(client);
    const known = Math.max(...migrations.map(({ version }) => version));
    if (done > known) throw new NewerJournal(`the journal is of version ${done}, this release knows ${known}`);
    const due = migrations.filter(({ version }) => version > done);
    for (const { version, name, sql } of due) {
      await client.query('BEGIN');
      try {
        await client.query(sql);
        await client.query(`INSERT INTO ${SCHEMA}.migration (version, name) VALUES ($1, $2)`, [version, name]);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      }
    }
    return due.map(({ name }) => name);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  }
};

/** A journal that is there needs no right to make schemas. */
const appliedVersion = async (client: ClientBase): Promise<number> => {
  const { rows } = await client.query<{ table: string | null }>('SELECT to_regclass($1)::text AS table', [
    `${SCHEMA}.migration`,
  ]);
  if (rows[0]?.table == null) {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await client.query(
      `CREATE TABLE ${SCHEMA}.migration (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
  }
  const applied = await client.query<{ version: number | null }>(
    `SELECT max(version) AS version FROM ${SCHEMA}.migration`,
  );
  return applied.rows[0]?.version ?? 0;
};
