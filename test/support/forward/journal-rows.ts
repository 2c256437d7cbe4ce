import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import type { OwnPostgres } from './own-postgres';

/** A status change as the journal holds it; `at` is epoch ms as text. */
export interface JournalRow {
  readonly node: string;
  readonly part: string;
  readonly sequence_id: string;
  readonly from_status: number;
  readonly to_status: number;
  readonly at: string;
  readonly measurement: string | null;
  readonly user_id: string;
}

type Rated = { readonly status: number; readonly triggeringMeasurement?: string };

/** The changes of the overall and the external part in `events`, by node: what the journal has to hold, in its order. */
export const journalRows = (events: ReadonlyMap<string, ReadonlyArray<OutboxEvent>>): ReadonlyArray<JournalRow> =>
  [...events]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([node, ofNode]) => {
      const known = new Map<string, number>();
      return ofNode
        .filter(({ type }) => type === 'PointAlarmStatusEvent')
        .flatMap(({ sequenceId, userId, data }) =>
          ['external', 'overall'].flatMap((part): ReadonlyArray<JournalRow> => {
            const rated = (data as unknown as Readonly<Record<string, Rated | undefined>>)[`${part}Alarm`];
            const [before, after] = [known.get(part) ?? 0, rated?.status ?? 0];
            known.set(part, after);
            if (before === after) return [];
            return [
              {
                ...{ node, part, sequence_id: sequenceId, from_status: before, to_status: after },
                at: String((data as { readonly updatedAt: number }).updatedAt),
                measurement: rated?.triggeringMeasurement ?? null,
                user_id: userId,
              },
            ];
          }),
        );
    });

/** The status changes that the journal in `postgres` holds. */
export const readJournal = ({ ask }: OwnPostgres): Promise<ReadonlyArray<JournalRow>> =>
  ask(
    `SELECT node, part, sequence_id, from_status, to_status, (extract(epoch FROM at) * 1000)::bigint::text AS at, measurement, user_id
     FROM point_alarm.status_change ORDER BY node, sequence_id, part`,
  );
