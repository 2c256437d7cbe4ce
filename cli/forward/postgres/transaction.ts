import { Pool, type ClientBase } from 'pg';
import { pause } from '../../../process/backoff';

const CONNECTIONS = 8;
const CONNECTS_WITHIN_MS = 5_000;
/** Longer than a server that works takes for a statement: it ends it itself, after `STATEMENT_MS`. */
const ANSWERS_WITHIN_MS = 15_000;
const CLOSES_WITHIN_MS = 1_000;

/** Waiting time for a lock. Somebody else's transaction holds up what needs its rows, and holds no connection for long. */
const LOCK_MS = 1_000;
const STATEMENT_MS = 10_000;
/** Time after which the server ends a transaction that waits for a client: a client that vanished leaves no locks behind. */
const IDLE_MS = 10_000;

/** Time limits of the transaction alone: a pooler such as PgBouncer refuses limits that a connection brings along. */
const BEGIN = `BEGIN;
SET LOCAL lock_timeout = ${LOCK_MS};
SET LOCAL statement_timeout = ${STATEMENT_MS};
SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`;

/** Connections to a database. A lost one fails the transaction that uses it, and nothing else. */
export interface Connections {
  /**
   * Runs `work` in a transaction, bounded in time by the server as well. After an error its connection is closed, by which the
   * server rolls back. Errors: what PostgreSQL, the connection or `work` throws.
   */
  readonly transaction: <A>(work: (client: ClientBase) => Promise<A>) => Promise<A>;
  /** Does not wait for a server that hangs. */
  readonly close: () => Promise<void>;
}

export const openConnections = (url: string): Connections => {
  const pool = new Pool({
    connectionString: url,
    application_name: 'pas forward',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECTS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
    keepAlive: true,
  });
  // The pool hears only connections at rest. One in use that is lost fails its statement as well: nothing is missed here.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    transaction: async (work) => {
      const client = await pool.connect();
      let isDone = false;
      try {
        await client.query(BEGIN);
        const result = await work(client);
        await client.query('COMMIT');
        isDone = true;
        return result;
      } finally {
        client.release(!isDone);
      }
    },
    close: () => Promise.race([pool.end(), pause(CLOSES_WITHIN_MS)]),
  };
};
