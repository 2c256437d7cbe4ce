import type { Status } from '../../workflows/domain/alarm/status';
import type { StreamEvent } from '../../workflows/domain/node/events';

/** One alarm of a node, as a status event shows it. */
export interface AlarmPart {
  /** Names the part within its node: `overall`, `rate of change`, `inspection`, `external`, `band 0`, `HAL 0`. */
  readonly part: string;
  readonly status: Status;
  /** What the threshold calls a band or a HAL. */
  readonly label?: string;
  /** The measurement that rated it. */
  readonly measurement?: string;
  /** What was compared with the limits, of bands and HALs; events tell no value of other parts. */
  readonly value?: number;
  /** The unit of `value`; a HAL's index has none. */
  readonly unit?: string;
  /** Why a HAL could not be rated. */
  readonly why?: string;
}

type StatusEvent = Extract<StreamEvent, { readonly type: 'PointAlarmStatusEvent' }>;
type Parts = Omit<
  StatusEvent,
  'type' | 'aggregateId' | 'userId' | 'sequenceId' | 'updatedAt' | 'alarmStatus' | 'alarmsChanged'
>;

/** The parts that a node holds, bands and HALs by their position in the threshold. */
export const alarmParts = (parts: Parts): ReadonlyArray<AlarmPart> => {
  const { overallAlarm, rateOfChangeAlarm, inspectionAlarm, externalAlarm, bandAlarms = [], halAlarms = [] } = parts;
  return [
    ...single('overall', overallAlarm),
    ...single('rate of change', rateOfChangeAlarm),
    ...single('inspection', inspectionAlarm),
    ...single('external', externalAlarm),
    ...bandAlarms.map(({ status, label, triggeringMeasurement, calculatedOverall }, at) =>
      present({
        part: `band ${at}`,
        status,
        label,
        measurement: triggeringMeasurement,
        value: calculatedOverall?.value,
        unit: calculatedOverall?.unit,
      }),
    ),
    ...halAlarms.map(({ status, label, triggeringMeasurement, halIndex, errorDescription }, at) =>
      present({
        part: `HAL ${at}`,
        status,
        label,
        measurement: triggeringMeasurement,
        value: halIndex,
        why: errorDescription,
      }),
    ),
  ];
};

interface Rated {
  readonly status: Status;
  readonly triggeringMeasurement?: string;
}

const single = (part: string, rated: Rated | undefined): ReadonlyArray<AlarmPart> =>
  rated === undefined ? [] : [present({ part, status: rated.status, measurement: rated.triggeringMeasurement })];

type Given = { readonly [K in keyof AlarmPart]: AlarmPart[K] | undefined } & Pick<AlarmPart, 'part' | 'status'>;

/** Without the members that are undefined. */
const present = ({ part, status, ...others }: Given): AlarmPart => ({
  part,
  status,
  ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
});
