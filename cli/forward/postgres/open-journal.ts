import * as E from 'fp-ts/Either';
import { Pool } from 'pg';
import { NotNow, type StreamEvent } from '../../../consumer';
import { reasonOf } from '../../../process/reason-of';
import type { CommandFailure } from '../../command-failure';
import { isEventsFault, openingFailure } from './database-errors';
import { writeEvent } from './journal-writer';
import { migrate } from './migrate';

/** A journal in PostgreSQL, whose schema is that of this release. */
export interface PostgresJournal {
  /** The steps by which its schema was brought up to date. */
  readonly migrated: ReadonlyArray<string>;
  /**
   * Writes what an event changed, once. Errors: `NotNow` while the database is unavailable; what PostgreSQL says where the
   * event is at fault.
   */
  readonly write: (event: StreamEvent) => Promise<void>;
  readonly close: () => Promise<void>;
}

const CONNECTIONS = 8;
const CONNECTS_WITHIN_MS = 5_000;
const ANSWERS_WITHIN_MS = 15_000;

/** Opens the journal at `url`, and makes or updates its schema. `server` names it in messages, without a password. */
export const openJournal = async (url: string, server: string): Promise<E.Either<CommandFailure, PostgresJournal>> => {
  const pool = new Pool({
    connectionString: url,
    application_name: 'pas forward',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECTS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
    keepAlive: true,
  });
  // A connection at rest that is lost leaves the pool by itself.
  pool.on('error', () => undefined);
  try {
    const client = await pool.connect();
    const migrated = await migrate(client).finally(() => {
      client.release();
    });
    return E.right({ migrated, write: (event) => write(pool, event), close: () => pool.end() });
  } catch (error) {
    await pool.end();
    return E.left(openingFailure(server, error));
  }
};

const write = async (pool: Pool, event: StreamEvent): Promise<void> => {
  const client = await pool.connect().catch((error: unknown) => {
    throw new NotNow(reasonOf(error));
  });
  let lost: Error | undefined;
  try {
    await writeEvent(client, event);
  } catch (error) {
    if (isEventsFault(error)) throw error;
    lost = error instanceof Error ? error : new Error(String(error));
    throw new NotNow(reasonOf(error));
  } finally {
    client.release(lost); // one that failed is not used again
  }
};
