import type { Colors } from 'picocolors/types';
import type { StreamEvent } from '../../workflows/domain/events/event';
import { statusNames } from '../../workflows/domain/alarm/status';
import { printable } from '../printable';
import { painted, partsLine } from '../status-words';

const WIDTH = 'NOT_CONFIGURED'.length;

/** An event in one line: when, status, node, parts; `*` marks that an alarm changed. */
export const eventLine = (colors: Colors, event: StreamEvent): string => {
  const time = new Date(event.updatedAt).toISOString();
  if (event.type === 'SetPointAlarmThresholdEvent') {
    const word = colors.cyan('threshold'.padEnd(WIDTH));
    return `${time}   ${word} ${event.aggregateId}  ${kindsLine(event.threshold)}`.trimEnd();
  }
  const word = painted(colors, event.alarmStatus, statusNames[event.alarmStatus].padEnd(WIDTH));
  return `${time} ${event.alarmsChanged ? '*' : ' '} ${word} ${event.aggregateId}  ${partsLine(event)}`.trimEnd();
};

type ThresholdShown = Extract<StreamEvent, { readonly type: 'SetPointAlarmThresholdEvent' }>['threshold'];

const kindsLine = (threshold: ThresholdShown): string => {
  const { thresholdType: type, overall, rateOfChange, inspection, bandAlarms, halAlarms } = threshold;
  return [
    ...(overall === undefined ? [] : [`overall type ${type ?? 0} ${limitsLine(overall)}`]),
    ...(rateOfChange === undefined ? [] : [`rate of change ${limitsLine(rateOfChange)}`]),
    ...(inspection === undefined ? [] : [`inspection ${inspection.choices.length} choices`]),
    ...(bandAlarms === undefined ? [] : [`${bandAlarms.length} bands`]),
    ...(halAlarms === undefined ? [] : [`${halAlarms.length} HALs`]),
  ].join(', ');
};

type Limits = NonNullable<ThresholdShown['overall']>;

/** The limits from the lowest to the highest, `-` where there is none. */
const limitsLine = ({ outerLow, innerLow, innerHigh, outerHigh, unit = '' }: Limits): string =>
  `${[outerLow, innerLow, innerHigh, outerHigh].map((limit) => limit ?? '-').join(' ')} ${printable(unit)}`.trimEnd();
