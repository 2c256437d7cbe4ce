import { DatabaseError, type ClientBase } from 'pg';
import { pause } from '../../../process/backoff';
import { reasonOf } from '../../../process/reason-of';
import { NotNow } from '../../../stream/consumer';
import { alarmParts, type AlarmPart } from '../../../workflows/domain/alarm/alarm-lines';
import type { StatusEvent, StreamEvent, ThresholdEvent } from '../../../workflows/domain/node/events';
import { FIXED, type Edge } from '../../../workflows/domain/threshold/band';
import { accessDenied, CommandFailure, notReachable, unusable } from '../../failure';
import { migrate } from './migrations';
import { openConnections, type Connections } from './transaction';

/**
 * Opens the journal at `url`, and makes or updates its schema by the steps of `migrated`. `server` names it in messages, without a
 * password. A write takes `withinMs` at most.
 */
export const openAlarmJournal = async (url: string, server: string, withinMs: number) => {
  const connections = openConnections(url);
  try {
    const migrated = await connections.transaction((client) => migrate(client, server));
    return {
      migrated,
      write: (event: StreamEvent) => inTime(withinMs, write(connections, event)),
      close: connections.close,
    };
  } catch (error) {
    await connections.close();
    throw openingFailure(server, error);
  }
};

/**
 * Writes what an event changed, and its place, in one transaction. One that is not newer than the last one of its node changes
 * nothing. Errors: `NotNow` while the database is unavailable; the error of PostgreSQL where the event is at fault.
 */
const write = (connections: Connections, event: StreamEvent): Promise<void> =>
  connections
    .transaction(async (client) => {
      const { rowCount } = await client.query(TAKE_PLACE, [event.aggregateId, event.sequenceId]);
      if (rowCount === 1)
        await (event.type === 'PointAlarmStatusEvent' ? writeStatus(client, event) : writeThreshold(client, event));
    })
    .catch((error: unknown) => {
      throw isEventsFault(error) ? error : new NotNow(reasonOf(error));
    });

/**
 * Postpones the event when `write` takes too long: one that does not end is taken for a failure of the event. PostgreSQL may still
 * commit it. Then the place of its node shows a repeat.
 */
const inTime = async (ms: number, write: Promise<void>): Promise<void> => {
  const isOver = new AbortController();
  const late = pause(ms, isOver.signal).then(() => {
    throw new NotNow(`PostgreSQL did not answer within ${ms} ms`);
  });
  await Promise.race([write, late]).finally(() => isOver.abort());
};

/** Classes of SQLSTATE by which the event itself is at fault: its data, or an integrity rule. */
const EVENTS_FAULT = ['22', '23'];
const isEventsFault = (error: unknown): boolean =>
  error instanceof DatabaseError && EVENTS_FAULT.includes((error.code ?? '').slice(0, 2));

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
  const parts = json(partsOf(event));
  await client.query(ADD_CHANGES, [node, parts, updatedAt, sequenceId, printed(userId), requestId ?? null]);
  await client.query(REMOVE_PARTS, [node, parts]);
  await client.query(KEEP_PARTS, [node, parts, updatedAt]);
};

/** The parts that a node holds. A band without a label is known by its edges (docs/events.md, "Did an alarm change?"). */
const partsOf = ({ bandAlarms = [], ...others }: StatusEvent): ReadonlyArray<AlarmPart> =>
  alarmParts({
    ...others,
    bandAlarms: bandAlarms.map(({ label = '', ...band }) => ({
      ...band,
      label: label === '' ? edgesText(band) : label,
    })),
  });

const edgesText = ({ minFrequency, maxFrequency }: { readonly minFrequency?: Edge; readonly maxFrequency?: Edge }) =>
  `${edgeText(minFrequency) ?? '0 Hz'} to ${edgeText(maxFrequency) ?? 'the end'}`;
const edgeText = (edge: Edge | undefined): string | undefined =>
  edge && `${edge.value}${edge.valueType === FIXED ? ' Hz' : 'x'}`;

const HELD = `jsonb_to_recordset($2) AS held
  (part text, label text, status smallint, measurement uuid, value double precision, unit text)`;

/**
 * A part that the node did not hold, or holds no more, has the status 0. A band or HAL of another label is another part, at the
 * same place: one ends, and one begins.
 */
const ADD_CHANGES = `
INSERT INTO point_alarm.status_change
  (node, sequence_id, at, user_id, request_id, part, label, from_status, to_status, measurement, value, unit)
SELECT $1, $4, to_timestamp($3 / 1000.0), $5, $6, coalesce(held.part, kept.part), coalesce(held.label, kept.label),
  coalesce(kept.status, 0), coalesce(held.status, 0), held.measurement, held.value, held.unit
FROM ${HELD} FULL JOIN (SELECT part, label, status FROM point_alarm.part WHERE node = $1) AS kept
  ON held.part = kept.part AND coalesce(held.label, '') = coalesce(kept.label, '')
WHERE coalesce(kept.status, 0) <> coalesce(held.status, 0)`;

const REMOVE_PARTS = `
DELETE FROM point_alarm.part WHERE node = $1 AND part NOT IN (SELECT held.part FROM ${HELD})`;

const KEEP_PARTS = `
INSERT INTO point_alarm.part AS kept (node, part, label, status, since, measurement, value, unit)
SELECT $1, part, label, status, to_timestamp($3 / 1000.0), measurement, value, unit FROM ${HELD}
ON CONFLICT (node, part) DO UPDATE SET
  label = excluded.label,
  status = excluded.status,
  since = CASE WHEN (kept.label, kept.status) IS NOT DISTINCT FROM (excluded.label, excluded.status)
    THEN kept.since ELSE excluded.since END,
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
