import type { Alarm, EndedAlarm } from './alert-state';

/** An alert as `POST /api/v2/alerts` of Alertmanager takes it. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
}

/** What alerts tell of a node beside its alarms. */
export interface AboutNode {
  /** The labels from the hierarchy. */
  readonly labels: Readonly<Record<string, string>>;
  /** The address of its page. */
  readonly link: string;
}

/** The labels of an alert beside those from the hierarchy. */
export const OWN_LABELS: ReadonlyArray<string> = ['alertname', 'node', 'part', 'severity', 'label'];

/** The alert of an alarm; without its end it lasts until `lastsUntil` (epoch ms), unless it is sent again. */
export const alertOf = (
  nodeId: string,
  alarm: Alarm | EndedAlarm,
  { labels, link }: AboutNode,
  lastsUntil: number,
): Alert => {
  const { part, label, severity, startsAt, measurement, value, unit, limits } = alarm;
  return {
    labels: {
      ...labels,
      alertname: 'PointAlarm',
      node: nodeId,
      part,
      severity,
      ...(label !== undefined && label !== '' && { label }),
    },
    annotations: {
      summary: `${label === undefined || label === '' ? part : `${part} (${label})`} is in ${severity.toUpperCase()}`,
      ...(value !== undefined && {
        value: [Number(value.toPrecision(6)), ...(unit === undefined ? [] : [unit])].join(' '),
      }),
      ...(limits !== undefined && { limits }),
      ...(measurement !== undefined && { measurement }),
      link,
    },
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date('endsAt' in alarm ? alarm.endsAt : lastsUntil).toISOString(),
    generatorURL: link,
  };
};
