import { worstOf } from '../parts';
import { statusNames, type Status } from '../status';
import type { AlarmLimits } from '../threshold/limits';
import type { Node } from './node';
import type { State } from './state';
import { partsView, type PartsView } from './views';

/** Alarms listed by name; a page of hundreds helps nobody, the query `alarmStatus` has them all. */
const MOST_LISTED = 20;
/** Characters of a label, a unit or a user's name that are shown. */
const LONGEST_TEXT = 60;

/** The node as an operator reads it in the Temporal UI: Markdown. Cheap, it is made on every change. */
export const describeNode = ({ state, outbox }: Node): string => {
  const status = worstOf(state.parts);
  return [
    `## ${statusNames[status]}`,
    '',
    `Node \`${state.nodeId}\`, updated ${instant(state.updatedAt)}, ${outbox.waiting.length} unpublished events`,
    '',
    ...table(['Alarm', 'Status', 'Measurement'], alarmRows(partsView(state.threshold, state.parts))),
    ...table(['Limits', 'outerLow', 'innerLow', 'innerHigh', 'outerHigh', 'Unit'], limitRows(state.threshold)),
    ...table(['Latest', 'Id', 'Created'], latestRows({ ...state.latest })),
    `Threshold revision ${state.revision}${setting(state)}`,
  ].join('\n');
};

const setting = ({ setBy, setAt }: State): string =>
  setBy === undefined || setAt === undefined ? '' : `, set by ${code(setBy)} ${instant(setAt)}`;

type Row = ReadonlyArray<string>;

const alarmRows = (parts: PartsView): ReadonlyArray<Row> => {
  const { overallAlarm, rateOfChangeAlarm, inspectionAlarm, externalAlarm, bandAlarms = [], halAlarms = [] } = parts;
  const single = { overall: overallAlarm, 'rate of change': rateOfChangeAlarm, inspection: inspectionAlarm };
  const rows = [
    ...Object.entries(single).flatMap(([name, part]) => (part === undefined ? [] : [alarmRow(name, part)])),
    ...(externalAlarm === undefined ? [] : [alarmRow('external', externalAlarm)]),
    ...bandAlarms.map((band, index) => alarmRow(`band ${index} ${code(band.label ?? '')}`, band)),
    ...halAlarms.map((hal, index) => alarmRow(`HAL ${index} ${code(hal.label)}`, hal)),
  ];
  const left = rows.length - MOST_LISTED;
  return left > 0 ? [...rows.slice(0, MOST_LISTED), [`and ${left} more: query alarmStatus`, '', '']] : rows;
};

const alarmRow = (name: string, part: { readonly status: Status; readonly triggeringMeasurement?: string }): Row => [
  name,
  statusNames[part.status],
  part.triggeringMeasurement ?? '',
];

const limitRows = (threshold: {
  readonly overall?: AlarmLimits;
  readonly rateOfChange?: AlarmLimits;
}): ReadonlyArray<Row> =>
  Object.entries({ overall: threshold.overall, 'rate of change': threshold.rateOfChange }).flatMap(([name, limits]) =>
    limits === undefined
      ? []
      : [
          [
            name,
            ...[limits.outerLow, limits.innerLow, limits.innerHigh, limits.outerHigh].map(limit),
            code(limits.unit ?? ''),
          ],
        ],
  );

const limit = (value: number | undefined): string => (value === undefined ? '' : String(value));

const latestRows = (
  latest: Readonly<Record<string, { readonly measurementId: string; readonly createdAt: string }>>,
): ReadonlyArray<Row> =>
  Object.entries(latest).map(([name, { measurementId, createdAt }]) => [name, measurementId, createdAt]);

const table = (head: Row, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).concat('');

const instant = (epochMs: number): string => (epochMs === 0 ? 'never' : new Date(epochMs).toISOString());

/** Text of callers, as code: no mark-up of theirs takes effect, and what cannot be seen is left out. */
const code = (text: string): string => {
  const shown = Array.from(text.replace(/[`|\s\p{C}]+/gu, ' ')).slice(0, LONGEST_TEXT);
  return text === '' ? '' : `\`${shown.join('')}\``;
};
