import { limitNames, type AlarmLimits } from '../threshold/alarm-limits';
import { baseText, type BandLimit } from '../threshold/band';
import type { ThresholdView } from '../threshold/threshold';
import type { PartsView } from './alarm-status';
import { statusNames, type Status } from './status';

/** One alarm of a node, as GET and the events show it. */
export interface AlarmPart {
  /** Names the part within its node: `overall`, `rate of change`, `inspection`, `external`, `band 0`, `HAL 0`. */
  readonly part: string;
  readonly status: Status;
  /** What the threshold calls a band or a HAL. */
  readonly label?: string;
  readonly measurement?: string;
  /** What was compared with the limits, of bands and HALs; events tell no value of other parts. */
  readonly value?: number;
  /** The unit of `value`; a HAL's index has none. */
  readonly unit?: string;
  readonly why?: string;
}

/** The parts that a node holds, bands and HALs by their position in the threshold. */
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

/** The parts that a node holds, in one line: `overall DANGER, bands 1 ALERT 4 GOOD`. */
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

/** The count of each status, the worst first: `1 DANGER 4 GOOD`. */
export const countsLine = (statuses: ReadonlyArray<Status>): string =>
  WORST_FIRST.map((status) => ({ status, count: statuses.filter((other) => other === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${statusNames[status]}`)
    .join(' ');

const WORST_FIRST = [4, 3, 2, 1, 0] as const;

/** The limits of each part of a threshold that has some, as a line for people: `innerHigh 50, outerHigh 70 C`. */
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
