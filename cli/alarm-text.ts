import type { Colors } from 'picocolors/types';
import { alarmParts, type StreamEvent } from '../stream/consumer';
import { ALERT, DANGER, GOOD, statusNames, type Status } from '../workflows/domain/alarm/status';
import { limitNames } from '../workflows/domain/threshold/alarm-limits';
import { baseText } from '../workflows/domain/threshold/band';
import { printable } from './failure';

/** The parts that a node holds, in one line: `overall DANGER, bands 1 ALERT 4 GOOD`. */
export const partsLine = (parts: Parameters<typeof alarmParts>[0]): string => {
  const all = alarmParts(parts);
  const kinds = new Set(all.map(({ part }) => kindOf(part)));
  return [...kinds]
    .map((kind) => {
      const single = all.find(({ part }) => part === kind);
      if (single !== undefined) return `${kind} ${statusNames[single.status]}`;
      return `${kind}s ${countsLine(all.filter(({ part }) => kindOf(part) === kind).map(({ status }) => status))}`;
    })
    .join(', ');
};

/** What `part` is one of: `band 0` is a `band`. */
const kindOf = (part: string): string => part.replace(/ \d+$/u, '');

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

/** A part with what the threshold calls it. */
export const nameOf = ({ part, label }: { readonly part: string; readonly label?: string | undefined }): string =>
  label === undefined || label === '' ? part : `${part} ${printable(label)}`;

type Threshold = Extract<StreamEvent, { readonly type: 'SetPointAlarmThresholdEvent' }>['threshold'];

/** The limits of each part of a threshold that has some, as a line for people: `innerHigh 50, outerHigh 70 C`. */
export const limitsByPart = (threshold: Threshold): Readonly<Record<string, string>> => {
  const { overall, rateOfChange, bandAlarms = [], halAlarms = [] } = threshold;
  const lines: ReadonlyArray<readonly [part: string, limits: string]> = [
    ['overall', fourLimits(overall)],
    ['rate of change', fourLimits(rateOfChange)],
    ...bandAlarms.map(({ overallAlarmThreshold: { upperAlert, upperDanger, unit } = {} }, at) => {
      const limits = { alert: bandLimit(upperAlert), danger: bandLimit(upperDanger) };
      return [`band ${at}`, limitsText(limits, unit)] as const;
    }),
    ...halAlarms.map(
      ({ upperAlert: alert, upperDanger: danger }, at) => [`HAL ${at}`, limitsText({ alert, danger })] as const,
    ),
  ];
  return Object.fromEntries(lines.filter(([, limits]) => limits !== ''));
};

const fourLimits = (limits: Threshold['overall'] = {}): string =>
  limitsText(Object.fromEntries(limitNames.map((name) => [name, limits[name]])), limits.unit);

const limitsText = (limits: Readonly<Record<string, number | string | undefined>>, unit = ''): string => {
  const given = Object.entries(limits).flatMap(([name, limit]) => (limit === undefined ? [] : [`${name} ${limit}`]));
  return given.length === 0 || unit === '' ? given.join(', ') : `${given.join(', ')} ${unit}`;
};

type BandLimit = NonNullable<
  NonNullable<NonNullable<Threshold['bandAlarms']>[number]['overallAlarmThreshold']>['upperAlert']
>;

const bandLimit = (limit: BandLimit | undefined): string | undefined =>
  limit && `${limit.value} ${baseText(limit.valueType)}`.trimEnd();
