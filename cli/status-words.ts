import type { Colors } from 'picocolors/types';
import type { TypeOf } from '../workflows/domain/codecs';
import type { PointAlarmStatusEvent } from '../workflows/domain/events/event';
import { ALERT, DANGER, GOOD, statusNames, type Status } from '../workflows/domain/alarm/status';

type Parts = Omit<
  TypeOf<typeof PointAlarmStatusEvent>,
  'aggregateId' | 'userId' | 'sequenceId' | 'updatedAt' | 'alarmStatus' | 'alarmsChanged'
>;

/** The parts that a node holds, in one line: `overall DANGER, bands 1 ALERT 4 GOOD`. */
export const partsLine = (parts: Parts): string => {
  const { overallAlarm, rateOfChangeAlarm, inspectionAlarm, externalAlarm, bandAlarms = [], halAlarms = [] } = parts;
  const single = (name: string, part: { readonly status: Status } | undefined): ReadonlyArray<string> =>
    part === undefined ? [] : [`${name} ${statusNames[part.status]}`];
  return [
    ...single('overall', overallAlarm),
    ...single('rate of change', rateOfChangeAlarm),
    ...single('inspection', inspectionAlarm),
    ...single('external', externalAlarm),
    ...several('bands', bandAlarms),
    ...several('HALs', halAlarms),
  ].join(', ');
};

const several = (name: string, parts: ReadonlyArray<{ readonly status: Status }>): ReadonlyArray<string> =>
  parts.length === 0 ? [] : [`${name} ${countsLine(parts.map(({ status }) => status))}`];

/** The count of each status, the worst first: `1 DANGER 4 GOOD`. */
export const countsLine = (statuses: ReadonlyArray<Status>): string =>
  WORST_FIRST.map((status) => ({ status, count: statuses.filter((other) => other === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${statusNames[status]}`)
    .join(' ');

const WORST_FIRST = [4, 3, 2, 1, 0] as const;

/** The colour of a status, as on a traffic light. */
export const painted = ({ red, yellow, green, dim, bold }: Colors, status: Status, text: string): string => {
  switch (status) {
    case DANGER:
      return bold(red(text));
    case ALERT:
      return yellow(text);
    case GOOD:
      return green(text);
    default:
      return dim(text);
  }
};
