import { Pool, type ClientBase } from 'pg';
import { withTimeout } from '../../../process/timeout';

const CONNECTIONS = 8;
const CONNECTS_WITHIN_MS = 5_000;
/** Time limit (ms) of an answer. It exceeds `STATEMENT_MS`, so that a server that works ends the statement first. */
const ANSWERS_WITHIN_MS = 15_000;
const CLOSES_WITHIN_MS = 1_000;

/** Longest wait (ms) for a lock, so that another client's transaction on the same rows blocks a connection only briefly. */
const LOCK_MS = 1_000;
const STATEMENT_MS = 10_000;
/** Time (ms) after which the server ends a transaction that waits for its client: a client that vanished leaves no locks. */
const IDLE_MS = 10_000;

/** Each transaction sets its time limits, because a pooler such as PgBouncer refuses limits as parameters of a connection. */
const BEGIN = `BEGIN;
SET LOCAL lock_timeout = ${LOCK_MS};
SET LOCAL statement_timeout = ${STATEMENT_MS};
SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`;

/** Connections to a database. A lost connection fails only the transaction that uses it. */
export interface Connections {
  /**
   * Runs `work` in a transaction, whose time the server limits as well. After an error it closes the connection, so that the
   * server rolls back. Errors: what PostgreSQL, the connection or `work` throws.
   */
  readonly transaction: <A>(work: (client: ClientBase) => Promise<A>) => Promise<A>;
  /** Waits at most one second, since a server may hang. */
  readonly close: () => Promise<void>;
}

/** `name` is the name of the application that PostgreSQL shows for the connections. */
export const openConnections = (url: string, name: string): Connections => {
  const pool = new Pool({
    connectionString: url,
    application_name: name,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECTS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
    keepAlive: true,
  });
  // Without listeners a lost connection ends the process. A connection in use also fails its statement, so nothing is missed.
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
    close: () => withTimeout(CLOSES_WITHIN_MS, pool.end(), () => undefined),
  };
};
