import { DatabaseError, type ClientBase } from 'pg';
import { reasonOf } from '../../../process/reason-of';
import { withTimeout } from '../../../process/timeout';
import { NotNow } from '../../../stream/consumer';
import { alarmParts, thresholdParts, type AlarmPart } from '../../../workflows/domain/alarm/alarm-lines';
import type { StatusEvent, StreamEvent, ThresholdEvent } from '../../../workflows/domain/node/events';
import { FIXED, type Edge } from '../../../workflows/domain/threshold/band';
import { isRecord } from '../../../workflows/domain/codecs';
import { accessDenied, CommandFailure, notReachable, unusable } from '../../failure';
import { migrate } from './migrations';
import { openConnections, type Connections } from './transaction';

/**
 * Opens the journal at `url`, and makes or updates its schema; `migrated` names the steps that were taken. `server` names the
 * database in messages, without a password. A write takes `withinMs` at most.
 */
export const openAlarmJournal = async (url: string, server: string, withinMs: number) => {
  const connections = openConnections(url, 'pas forward');
  try {
    const migrated = await connections.transaction((client) => migrate(client, server));
    return {
      migrated,
      write: (event: StreamEvent) => inTime(withinMs, write(connections, event)),
      close: connections.close,
    };
  } catch (error) {
    await connections.close();
    throw databaseFailure(server, error);
  }
};

/**
 * Writes what an event changed, and its place (the node's last event), in one transaction. An event that is not newer than this
 * last one changes nothing. Errors: `NotNow` while the database is unavailable; PostgreSQL's error if the event is at fault.
 */
const write = (connections: Connections, event: StreamEvent): Promise<void> =>
  connections
    .transaction(async (client) => {
      const { rowCount } = await client.query(TAKE_PLACE, [event.aggregateId, event.sequenceId, ...measuredAt(event)]);
      if (rowCount === 1)
        await (event.type === 'PointAlarmStatusEvent' ? writeStatus(client, event) : writeThreshold(client, event));
    })
    .catch((error: unknown) => {
      throw isEventsFault(error) ? error : new NotNow(reasonOf(error));
    });

/**
 * Postpones the event when `write` takes too long: the consumer would take an endless write for a failure of the event. If
 * PostgreSQL still commits the write, the place of the node shows that the next try is a repeat.
 */
const inTime = (ms: number, write: Promise<void>): Promise<void> =>
  withTimeout(ms, write, () => {
    throw new NotNow(`PostgreSQL did not answer within ${ms} ms`);
  });

/** SQLSTATE classes of errors that the event itself causes: invalid data, or a violated integrity constraint. */
const EVENTS_FAULT = ['22', '23'];
const isEventsFault = (error: unknown): boolean =>
  error instanceof DatabaseError && EVENTS_FAULT.includes((error.code ?? '').slice(0, 2));

/** SQLSTATEs of an invalid authorization, and of a missing privilege. */
const DENIED = ['28000', '28P01', '42501'];
const NO_DATABASE = '3D000';

/** Whether `error` means that a file named in the URL, such as the certificate of `sslrootcert`, cannot be opened. */
const isOfFile = (error: unknown): boolean => isRecord(error) && error['syscall'] === 'open';

/** The failure of a command that `error` ends. */
export const databaseFailure = (server: string, error: unknown): CommandFailure => {
  if (error instanceof CommandFailure) return error;
  if (isOfFile(error)) return unusable(`${server}: ${reasonOf(error)}`);
  if (!(error instanceof DatabaseError)) return notReachable(server, reasonOf(error));
  if (DENIED.includes(error.code ?? '')) return accessDenied(server, error.message);
  return error.code === NO_DATABASE ? unusable(`${server}: ${error.message}`) : notReachable(server, error.message);
};

const TAKE_PLACE = `
INSERT INTO point_alarm.place AS place (node, sequence_id, measured_at)
VALUES ($1, $2, to_timestamp($4 / 1000.0))
ON CONFLICT (node) DO UPDATE SET
  sequence_id = excluded.sequence_id,
  measured_at = CASE WHEN $5 THEN coalesce(to_timestamp($3 / 1000.0), place.measured_at, excluded.measured_at) END
WHERE place.sequence_id < excluded.sequence_id`;

/**
 * `came`: when the measurement that caused the event came (epoch ms), or null. `latest`: the latest time at which the node's
 * last measurement can have come, or null if no part holds one. Without a threshold (`hasThreshold`) a node is not measured.
 */
const measuredAt = (
  event: StreamEvent,
): readonly [came: number | null, latest: number | null, hasThreshold: boolean] => {
  if (event.type !== 'PointAlarmStatusEvent') return [null, null, true];
  const rated = thresholdParts(event);
  const came = rated.length > 0 && event.measurementId !== undefined ? event.updatedAt : null;
  const isHeld = rated.some(({ measurement }) => measurement !== undefined);
  return [came, came ?? (isHeld ? event.updatedAt : null), rated.length > 0];
};

const writeStatus = async (client: ClientBase, event: StatusEvent): Promise<void> => {
  const { aggregateId: node, sequenceId, updatedAt } = event;
  const parts = jsonForPostgres(partsOf(event));
  await client.query(ADD_CHANGES, [node, parts, updatedAt, sequenceId, ...causeOf(event)]);
  await client.query(KEEP_PARTS, [node, parts, updatedAt]);
  await client.query(REMOVE_PARTS, [node, parts]);
};

/** The parts that a node holds. The label of a band without one is its edges (docs/events.md, "Did an alarm change?"). */
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
 * A part that the node did not hold, or holds no more, has the status 0. A band or HAL with another label at the same place is
 * another part: the old one ends, and the new one begins.
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
SELECT $1, part, label, status, to_timestamp($3 / 1000.0), measurement, value, unit
FROM ${HELD}
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

/** A threshold that was published again has the revision and the time of its first event, so it is not added again. */
const writeThreshold = async (client: ClientBase, event: ThresholdEvent): Promise<void> => {
  const { aggregateId, revision = 0, updatedAt, sequenceId, threshold } = event;
  const about = [aggregateId, revision, updatedAt, ...causeOf(event), sequenceId];
  await client.query(ADD_THRESHOLD, [...about, jsonForPostgres(threshold)]);
};

const ADD_THRESHOLD = `
INSERT INTO point_alarm.threshold_change (node, revision, at, user_id, request_id, sequence_id, threshold)
VALUES ($1, $2, to_timestamp($3 / 1000.0), $4, $5, $6, $7)
ON CONFLICT DO NOTHING`;

/** The user and the request id (or null), cleaned because calls that people send to Temporal by hand may hold any text. */
const causeOf = ({ userId, requestId }: StreamEvent) => [
  printed(userId),
  requestId === undefined ? null : printed(requestId),
];

/** JSON without NUL and lone surrogates, neither of which PostgreSQL accepts. */
export const jsonForPostgres = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? printed(member) : member));

const printed = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
