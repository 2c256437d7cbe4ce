import { limitNames, type AlarmLimits } from '../threshold/alarm-limits';
import { baseText, type BandLimit } from '../threshold/band';
import type { ThresholdView } from '../threshold/threshold';
import type { PartsView } from './alarm-status';
import { statusNames, type Status } from './status';

/** One alarm of a node, with what GET and the events show of it, in the same form for every kind of alarm. */
export interface AlarmPart {
  /** The alarm's name within its node: `overall`, `rate of change`, `inspection`, `external`, `band 0`, `HAL 0`. */
  readonly part: string;
  readonly status: Status;
  /** The label of a band or a HAL in the threshold. */
  readonly label?: string;
  readonly measurement?: string;
  /** The value that was compared with the limits. Only bands and HALs have it: events hold no value of other alarms. */
  readonly value?: number;
  /** The unit of `value`; a HAL's index has none. */
  readonly unit?: string;
  readonly why?: string;
}

/** Lists the alarms of a node. Bands and HALs are numbered by their position in the threshold. */
export const alarmParts = ({ bandAlarms = [], halAlarms = [], ...single }: PartsView): ReadonlyArray<AlarmPart> => {
  const { overallAlarm, rateOfChangeAlarm, inspectionAlarm, externalAlarm } = single;
  const named: Readonly<Record<string, Rated | undefined>> = {
    overall: overallAlarm,
    'rate of change': rateOfChangeAlarm,
    inspection: inspectionAlarm,
    external: externalAlarm,
  };
  return [
    ...Object.entries(named).flatMap(([part, rated]) => (rated === undefined ? [] : [partOf(part, rated)])),
    ...bandAlarms.map((band, at) => partOf(`band ${at}`, { ...band, ...band.calculatedOverall })),
    ...halAlarms.map((hal, at) => partOf(`HAL ${at}`, { ...hal, value: hal.halIndex, why: hal.errorDescription })),
  ];
};

/** The alarms that a node has by its threshold: all but the external one. If there are none, no measurement is rated. */
export const thresholdParts = (of: PartsView): ReadonlyArray<AlarmPart> =>
  alarmParts(of).filter(({ part }) => part !== 'external');

interface Rated extends Pick<AlarmPart, 'status' | 'label' | 'unit'> {
  readonly triggeringMeasurement?: string;
  readonly value?: number | undefined;
  readonly why?: string | undefined;
}

const partOf = (part: string, rated: Rated): AlarmPart => {
  const { status, label, triggeringMeasurement: measurement, value, unit, why } = rated;
  const others = Object.entries({ label, measurement, value, unit, why });
  return { part, status, ...Object.fromEntries(others.filter(([, member]) => member !== undefined)) };
};

/** The alarms of a node in one line: `overall DANGER, bands 1 ALERT 4 GOOD`. */
export const partsLine = (parts: PartsView): string => {
  const single = alarmParts({ ...parts, bandAlarms: [], halAlarms: [] });
  const listed = [
    { name: 'bands', alarms: parts.bandAlarms ?? [] },
    { name: 'HALs', alarms: parts.halAlarms ?? [] },
  ].filter(({ alarms }) => alarms.length > 0);
  return [
    ...single.map(({ part, status }) => `${part} ${statusNames[status]}`),
    ...listed.map(({ name, alarms }) => `${name} ${countsLine(alarms.map(({ status }) => status))}`),
  ].join(', ');
};

/** How many of `statuses` have each status, the worst status first: `1 DANGER 4 GOOD`. */
export const countsLine = (statuses: ReadonlyArray<Status>): string =>
  WORST_FIRST.map((status) => ({ status, count: statuses.filter((other) => other === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${statusNames[status]}`)
    .join(' ');

const WORST_FIRST = [4, 3, 2, 1, 0] as const;

/** For each alarm with limits, a line for people under the alarm's name: `innerHigh 50, outerHigh 70 C`. */
export const limitLines = (threshold: ThresholdView): Readonly<Record<string, string>> => {
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

const fourLimits = (limits: AlarmLimits = {}): string =>
  limitsText(Object.fromEntries(limitNames.map((name) => [name, limits[name]])), limits.unit);

const limitsText = (limits: Readonly<Record<string, number | string | undefined>>, unit = ''): string => {
  const given = Object.entries(limits).flatMap(([name, limit]) => (limit === undefined ? [] : [`${name} ${limit}`]));
  return given.length === 0 || unit === '' ? given.join(', ') : `${given.join(', ')} ${unit}`;
};

const bandLimit = (limit: BandLimit | undefined): string | undefined =>
  limit && `${limit.value} ${baseText(limit.valueType)}`.trimEnd();
