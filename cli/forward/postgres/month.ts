import type { ClientBase } from 'pg';
import { unusable } from '../../failure';
import { withJournalTransaction } from './journal-transaction';

/** A month in UTC, `2026-10`. */
export interface Month {
  readonly name: string;
  readonly since: Date;
  readonly until: Date;
}

interface Part {
  readonly node: string;
  readonly part: string;
  readonly label: string | null;
}

export interface PartAlarms extends Part {
  readonly alarms: number;
  readonly chattering: number;
  readonly fleeting: number;
}

export interface TenMinutes {
  readonly at: Date;
  readonly alarms: number;
}

export interface Flood {
  readonly began: Date;
  readonly ended: Date;
  readonly alarms: number;
}

/** What the alarms of a month were like. Lists hold at most `LISTED` items, the worst first, unless noted otherwise. */
export interface MonthFigures {
  readonly month: Month;
  /** The end of the month, or now if the month is not over. */
  readonly until: Date;
  readonly alarms: number;
  readonly chattering: number;
  readonly fleeting: number;
  /** All ten-minute intervals of the month, in order of time. */
  readonly byTenMinutes: ReadonlyArray<TenMinutes>;
  /** All floods of the month, in order of time. */
  readonly floods: ReadonlyArray<Flood>;
  readonly frequentParts: ReadonlyArray<PartAlarms>;
  readonly chatteringParts: ReadonlyArray<PartAlarms>;
  readonly fleetingParts: ReadonlyArray<PartAlarms>;
  /** Alarms that stood for more than 24 hours: how many in the month, how many of them still at `until`, and the longest. */
  readonly stood: number;
  readonly standAtEnd: number;
  readonly standing: ReadonlyArray<Part & { readonly began: Date; readonly ended: Date | null }>;
  /** Times (ms) within which half and nine tenths of the acknowledged alarms were acknowledged; null where none was. */
  readonly acknowledged: { readonly alarms: number; readonly half: number | null; readonly most: number | null };
  /**
   * A node is silent if it has sent no measurement for `silentAfter` (ms) until now. `lastMeasured` is the time of the last
   * measurement of any node.
   */
  readonly silentAfter: number;
  readonly silent: number;
  readonly silentNodes: ReadonlyArray<{ readonly node: string; readonly measured_at: Date; readonly ms: number }>;
  readonly lastMeasured: Date | null;
  readonly now: Date;
}

const LISTED = 10;
/** Time limit (ms) of a query; a month of millions of alarms takes seconds. */
const QUESTION_MS = 60_000;

/** Reads the figures of a month from the journal at `url`, as of one moment. Errors: it throws a `CommandFailure`. */
export const readMonth = async (
  url: string,
  server: string,
  month: Month,
  silentAfter: number,
  signal: AbortSignal,
): Promise<MonthFigures> => {
  const begin = `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = ${QUESTION_MS}`;
  return withJournalTransaction({ url, server, begin }, signal, (client) => figuresOf(client, month, silentAfter));
};

const figuresOf = async (client: ClientBase, month: Month, silentAfter: number): Promise<MonthFigures> => {
  const ask = async <Row>(sql: string, values: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> => {
    const question = { text: sql, values: [...values], query_timeout: QUESTION_MS };
    return (await client.query(question)).rows as ReadonlyArray<Row>;
  };
  const one = async <Row>(sql: string, values?: ReadonlyArray<unknown>): Promise<Row> => {
    const [row] = await ask<Row>(sql, values);
    if (row === undefined) throw new Error(`no row for ${sql}`);
    return row;
  };
  const { now } = await one<{ now: Date }>('SELECT now()');
  if (month.since >= now) throw unusable(`--month ${month.name} has not begun`);
  const until = new Date(Math.min(now.getTime(), month.until.getTime()));
  const times = [month.since, until];
  const parts = (by: 'alarms' | 'chattering' | 'fleeting') => ask<PartAlarms>(PARTS_BY[by], times);
  const standing = await ask<MonthFigures['standing'][number]>(STANDING, times);
  await refuseEmpty(month, times, standing.length > 0, one);
  return {
    month,
    until,
    silentAfter,
    now,
    ...(await one<Pick<MonthFigures, 'alarms' | 'chattering' | 'fleeting'>>(ALL_PARTS, times)),
    byTenMinutes: await ask(TEN_MINUTES, times),
    floods: await ask(FLOODS, times),
    frequentParts: await parts('alarms'),
    chatteringParts: await parts('chattering'),
    fleetingParts: await parts('fleeting'),
    standing,
    ...(await one<Pick<MonthFigures, 'stood' | 'standAtEnd'>>(STOOD, times)),
    acknowledged: await one(ACKNOWLEDGED, times),
    ...(await one<Pick<MonthFigures, 'silent' | 'lastMeasured'>>(SILENT, [silentAfter])),
    silentNodes: await ask(SILENT_NODES, [silentAfter]),
  };
};

/** Refuses a month for which the journal holds nothing, because then the month or the database is probably wrong. */
const refuseEmpty = async (
  { name }: Month,
  times: ReadonlyArray<Date>,
  isStanding: boolean,
  one: <Row>(sql: string, values: ReadonlyArray<unknown>) => Promise<Row>,
): Promise<void> => {
  const { holds, first, last } = await one<{ holds: boolean; first: Date | null; last: Date | null }>(HOLDS, times);
  if (holds || isStanding) return;
  const all = first === null || last === null ? 'yet' : `in it; its changes are of ${day(first)} to ${day(last)}`;
  throw unusable(`--month ${name}: the journal holds no change of a status ${all}`);
};

const day = (at: Date): string => at.toISOString().slice(0, 10);

const HOLDS = `
SELECT EXISTS (SELECT FROM point_alarm.status_change WHERE at >= $1 AND at < $2) AS holds, min(at) AS first, max(at) AS last
FROM point_alarm.status_change`;

const ALL_PARTS = `
SELECT coalesce(sum(alarms), 0)::int AS alarms, coalesce(sum(chattering), 0)::int AS chattering,
  coalesce(sum(fleeting), 0)::int AS fleeting
FROM point_alarm.alarms_by_part($1, $2)`;

const partsBy = (count: string): string => `
SELECT node, part, label, alarms::int, chattering::int, fleeting::int
FROM point_alarm.alarms_by_part($1, $2)
WHERE ${count} > 0
ORDER BY ${count} DESC, node, part, label
LIMIT ${LISTED}`;
const PARTS_BY = { alarms: partsBy('alarms'), chattering: partsBy('chattering'), fleeting: partsBy('fleeting') };

const TEN_MINUTES = `SELECT at, alarms::int FROM point_alarm.alarms_by_ten_minutes($1, $2) ORDER BY at`;

const FLOODS = `SELECT began, ended, alarms::int FROM point_alarm.floods($1, $2) ORDER BY began`;

const STANDING = `
SELECT node, part, label, began, ended
FROM point_alarm.standing($1, $2)
ORDER BY least(ended, $2) - began DESC, node, part
LIMIT ${LISTED}`;

const STOOD = `
SELECT count(*)::int AS stood, count(*) FILTER (WHERE ended IS NULL OR ended > $2)::int AS "standAtEnd"
FROM point_alarm.standing($1, $2)`;

const ACKNOWLEDGED = `
SELECT count(*)::int AS alarms,
  1000 * extract(epoch FROM percentile_cont(0.5) WITHIN GROUP (ORDER BY after))::float AS half,
  1000 * extract(epoch FROM percentile_cont(0.9) WITHIN GROUP (ORDER BY after))::float AS most
FROM point_alarm.acknowledged($1, $2)`;

const SILENT = `
SELECT count(*) FILTER (WHERE silent_for > $1 * interval '1 millisecond')::int AS silent, max(measured_at) AS "lastMeasured"
FROM point_alarm.silence`;

const SILENT_NODES = `
SELECT node, measured_at, 1000 * extract(epoch FROM silent_for)::float AS ms
FROM point_alarm.silence
WHERE silent_for > $1 * interval '1 millisecond'
ORDER BY measured_at, node
LIMIT ${LISTED}`;
