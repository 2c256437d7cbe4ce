import type { ClientBase } from 'pg';
import { alarmParts, type AlarmPart, type StreamEvent } from '../../../consumer';
import type { Status } from '../../../workflows/domain/alarm/status';
import { partChanges } from './part-changes';

/**
 * Writes what `event` changed, and its place, in one transaction: all or nothing. An event that is not newer than the last one
 * of its node changes nothing. Answers whether it was new.
 */
export const writeEvent = async (client: ClientBase, event: StreamEvent): Promise<boolean> => {
  await client.query('BEGIN');
  try {
    const { rowCount } = await client.query(TAKE_PLACE, [event.aggregateId, event.sequenceId]);
    if (rowCount === 1) await (event.type === 'PointAlarmStatusEvent' ? writeStatus : writeThreshold)(client, event);
    await client.query('COMMIT');
    return rowCount === 1;
  } catch (error) {
    // Where the connection is lost, so is the transaction.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

const TAKE_PLACE = `
INSERT INTO point_alarm.place AS place VALUES ($1, $2)
ON CONFLICT (node) DO UPDATE SET sequence_id = excluded.sequence_id WHERE place.sequence_id < excluded.sequence_id`;

const writeStatus = async (client: ClientBase, event: StreamEvent): Promise<void> => {
  if (event.type !== 'PointAlarmStatusEvent') return;
  const { aggregateId: node, sequenceId, updatedAt, userId, requestId } = event;
  const known = await client.query<KnownPart>('SELECT part, status FROM point_alarm.part WHERE node = $1', [node]);
  const before = new Map(known.rows.map(({ part, status }) => [part, status]));
  const parts = alarmParts(event);
  const { changes, gone } = partChanges(before, parts);
  if (changes.length > 0)
    await client.query(ADD_CHANGES, [
      ...[node, sequenceId, updatedAt, printed(userId), requestId ?? null],
      json(changes.map((change) => ({ ...rowOf(change), from_status: change.from }))),
    ]);
  if (gone.length > 0) await client.query(REMOVE_PARTS, [node, gone]);
  if (parts.length > 0) await client.query(KEEP_PARTS, [node, updatedAt, json(parts.map(rowOf))]);
};

interface KnownPart {
  readonly part: string;
  readonly status: Status;
}

const rowOf = ({ part, label, status, measurement, value, unit }: AlarmPart) => ({
  ...{ part, label, status, measurement, value, unit },
});

const ADD_CHANGES = `
INSERT INTO point_alarm.status_change
  (node, sequence_id, at, user_id, request_id, part, label, from_status, to_status, measurement, value, unit)
SELECT $1, $2, to_timestamp($3 / 1000.0), $4, $5, part, label, from_status, status, measurement, value, unit
FROM jsonb_to_recordset($6) AS changed
  (part text, label text, from_status smallint, status smallint, measurement uuid, value double precision, unit text)`;

const REMOVE_PARTS = 'DELETE FROM point_alarm.part WHERE node = $1 AND part = ANY ($2)';

const KEEP_PARTS = `
INSERT INTO point_alarm.part AS kept (node, part, label, status, since, measurement, value, unit)
SELECT $1, part, label, status, to_timestamp($2 / 1000.0), measurement, value, unit
FROM jsonb_to_recordset($3) AS held
  (part text, label text, status smallint, measurement uuid, value double precision, unit text)
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
const writeThreshold = async (client: ClientBase, event: StreamEvent): Promise<void> => {
  if (event.type !== 'SetPointAlarmThresholdEvent') return;
  const { aggregateId, revision = 0, updatedAt, userId, requestId, sequenceId, threshold } = event;
  await client.query(ADD_THRESHOLD, [
    ...[aggregateId, revision, updatedAt, printed(userId), requestId ?? null, sequenceId],
    json(threshold),
  ]);
};

const ADD_THRESHOLD = `
INSERT INTO point_alarm.threshold_change (node, revision, at, user_id, request_id, sequence_id, threshold)
VALUES ($1, $2, to_timestamp($3 / 1000.0), $4, $5, $6, $7)
ON CONFLICT DO NOTHING`;

/** As JSON that PostgreSQL takes: it knows no NUL and no half of a surrogate pair. */
const json = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? printed(member) : member));

const printed = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
