import { DatabaseError, Pool, type ClientBase } from 'pg';
import { reasonOf } from '../../../process/reason-of';
import { NotNow } from '../../../stream/consumer';
import { alarmParts } from '../../../workflows/domain/alarm/alarm-lines';
import type { StatusEvent, StreamEvent, ThresholdEvent } from '../../../workflows/domain/node/events';
import { accessDenied, CommandFailure, notReachable, unusable } from '../../failure';
import { inTransaction, migrate } from './migrations';

const CONNECTIONS = 8;
const CONNECTS_WITHIN_MS = 5_000;
const ANSWERS_WITHIN_MS = 15_000;

/** Opens the journal at `url`, and makes or updates its schema by the steps of `migrated`. `server` names it in messages, without a password. */
export const openAlarmJournal = async (url: string, server: string) => {
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
    const migrated = await migrate(client, server).finally(() => client.release());
    return { migrated, write: (event: StreamEvent) => write(pool, event), close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw openingFailure(server, error);
  }
};

/**
 * Writes what an event changed, and its place, in one transaction. One that is not newer than the last one of its node changes
 * nothing. Errors: `NotNow` while the database is unavailable; the error of PostgreSQL where the event is at fault.
 */
const write = async (pool: Pool, event: StreamEvent): Promise<void> => {
  const client = await pool.connect().catch((error: unknown) => {
    throw new NotNow(reasonOf(error));
  });
  let isLost = false;
  try {
    await inTransaction(client, async () => {
      const { rowCount } = await client.query(TAKE_PLACE, [event.aggregateId, event.sequenceId]);
      if (rowCount === 1)
        await (event.type === 'PointAlarmStatusEvent' ? writeStatus(client, event) : writeThreshold(client, event));
    });
  } catch (error) {
    if (error instanceof DatabaseError && EVENTS_FAULT.includes((error.code ?? '').slice(0, 2))) throw error;
    isLost = true;
    throw new NotNow(reasonOf(error));
  } finally {
    client.release(isLost); // one that failed is not used again
  }
};

/** Classes of SQLSTATE by which the event itself is at fault: its data, or an integrity rule. */
const EVENTS_FAULT = ['22', '23'];
/** Invalid authorization, and a right that is missing. */
const DENIED = ['28000', '28P01', '42501'];
const NO_DATABASE = '3D000';

const openingFailure = (server: string, error: unknown): CommandFailure => {
  if (error instanceof CommandFailure) return error;
  if (!(error instanceof DatabaseError)) return notReachable(server, reasonOf(error));
  if (DENIED.includes(error.code ?? '')) return accessDenied(server, error.message);
  return error.code === NO_DATABASE ? unusable(`${server}: ${error.message}`) : notReachable(server, error.message);
};

const TAKE_PLACE = `
INSERT INTO point_alarm.place AS place VALUES ($1, $2)
ON CONFLICT (node) DO UPDATE SET sequence_id = excluded.sequence_id WHERE place.sequence_id < excluded.sequence_id`;

const writeStatus = async (client: ClientBase, event: StatusEvent): Promise<void> => {
  const { aggregateId: node, sequenceId, updatedAt, userId, requestId } = event;
  const parts = json(alarmParts(event));
  await client.query(ADD_CHANGES, [node, parts, updatedAt, sequenceId, printed(userId), requestId ?? null]);
  await client.query(REMOVE_PARTS, [node, parts]);
  await client.query(KEEP_PARTS, [node, parts, updatedAt]);
};

const HELD = `jsonb_to_recordset($2) AS held
  (part text, label text, status smallint, measurement uuid, value double precision, unit text)`;

/** A part that the node did not hold, or holds no more, has the status 0. */
const ADD_CHANGES = `
INSERT INTO point_alarm.status_change
  (node, sequence_id, at, user_id, request_id, part, label, from_status, to_status, measurement, value, unit)
SELECT $1, $4, to_timestamp($3 / 1000.0), $5, $6, part, held.label, coalesce(before.status, 0), coalesce(held.status, 0),
  held.measurement, held.value, held.unit
FROM ${HELD} FULL JOIN (SELECT part, status FROM point_alarm.part WHERE node = $1) AS before USING (part)
WHERE coalesce(before.status, 0) <> coalesce(held.status, 0)`;

const REMOVE_PARTS = `
DELETE FROM point_alarm.part WHERE node = $1 AND part NOT IN (SELECT held.part FROM ${HELD})`;

const KEEP_PARTS = `
INSERT INTO point_alarm.part AS kept (node, part, label, status, since, measurement, value, unit)
SELECT $1, part, label, status, to_timestamp($3 / 1000.0), measurement, value, unit FROM ${HELD}
ON CONFLICT (node, part) DO UPDATE SET
  label = excluded.label,
  status = excluded.status,
  since = CASE WHEN kept.status = excluded.status THEN kept.since ELSE excluded.since END,
  measurement = excluded.measurement,
  value = excluded.value,
  unit = excluded.unit
WHERE (kept.label, kept.status, kept.measurement, kept.value, kept.unit)
  IS DISTINCT FROM (excluded.label, excluded.status, excluded.measurement, excluded.value, excluded.unit)`;

/** A threshold that was published again has the revision and the time of its first event. */
const writeThreshold = async (client: ClientBase, event: ThresholdEvent): Promise<void> => {
  const { aggregateId, revision = 0, updatedAt, userId, requestId, sequenceId, threshold } = event;
  const about = [aggregateId, revision, updatedAt, printed(userId), requestId ?? null, sequenceId];
  await client.query(ADD_THRESHOLD, [...about, json(threshold)]);
};

const ADD_THRESHOLD = `
INSERT INTO point_alarm.threshold_change (node, revision, at, user_id, request_id, sequence_id, threshold)
VALUES ($1, $2, to_timestamp($3 / 1000.0), $4, $5, $6, $7)
ON CONFLICT DO NOTHING`;

/** As JSON that PostgreSQL takes: it knows no NUL and no half of a surrogate pair. */
const json = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? printed(member) : member));

const printed = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
