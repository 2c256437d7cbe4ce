import { worstOf } from '../alarm/parts';
import { statusNames } from '../alarm/status';
import type { AlarmLimits } from '../threshold/limits';
import type { Threshold } from '../threshold/threshold';
import { ALARM_COLUMNS, alarmRows } from './describe-alarms';
import { code, instant, number, table, type Row } from './markdown';
import type { Node } from './node';
import type { Outbox } from './outbox';
import type { State } from './state';

/**
 * The node as an operator reads it in the Temporal UI: Markdown. Cheap, it is made on every change.
 *
 * `publishesUpTo` is the last event that the node publishes by itself; those after it are left to the API.
 */
export const describeNode = ({ state, outbox }: Node, publishesUpTo: string = state.sequenceId): string =>
  [
    `## ${statusNames[worstOf(state.parts)]}`,
    '',
    `Node \`${state.nodeId}\`, updated ${instant(state.updatedAt)}, ${unpublished(outbox, publishesUpTo)}`,
    '',
    ...table(ALARM_COLUMNS, alarmRows(state)),
    ...table(['Limits', 'outerLow', 'innerLow', 'innerHigh', 'outerHigh', 'Unit'], limitRows(state.threshold)),
    ...table(['Latest', 'Id', 'Created'], latestRows({ ...state.latest })),
    `Threshold revision ${state.revision}${setting(state)}`,
  ].join('\n');

const unpublished = ({ waiting, bytes }: Outbox, publishesUpTo: string): string => {
  const [oldest] = waiting;
  if (oldest === undefined) return 'all events published';
  const own = waiting.filter(({ sequenceId }) => sequenceId <= publishesUpTo).length;
  if (own === 0) return `events left to the API to publish: ${waiting.length}`;
  return `${waiting.length} unpublished events of ${bytes} bytes, the oldest of ${instant(oldest.timestamp)}`;
};

const setting = ({ setBy, setAt }: State): string =>
  setBy === undefined || setAt === undefined ? '' : `, set by ${code(setBy)} ${instant(setAt)}`;

const limitRows = ({ overall, rateOfChange }: Threshold): ReadonlyArray<Row> => [
  ...limitRow('overall', overall),
  ...limitRow('rate of change', rateOfChange),
];

const limitRow = (name: string, limits: AlarmLimits | undefined): ReadonlyArray<Row> => {
  if (limits === undefined) return [];
  const { outerLow, innerLow, innerHigh, outerHigh, unit } = limits;
  return [[name, ...[outerLow, innerLow, innerHigh, outerHigh].map(number), code(unit)]];
};

const latestRows = (
  latest: Readonly<Record<string, { readonly measurementId: string; readonly createdAt: string }>>,
): ReadonlyArray<Row> =>
  Object.entries(latest).map(([name, { measurementId, createdAt }]) => [name, measurementId, createdAt]);
