import type { ExternalPart, HalPart, Part, Parts } from '../alarm/parts';
import { worstOf } from '../alarm/parts';
import type { Status } from '../alarm/status';
import type { Edge } from '../threshold/band';
import type { Threshold } from '../threshold/threshold';
import { thresholdView, type ThresholdView } from '../threshold/view';
import type { State } from './state';

/** The parts that a node holds, in the specification's event shapes. */
export interface PartsView {
  readonly overallAlarm?: Part;
  readonly rateOfChangeAlarm?: Part;
  readonly inspectionAlarm?: Part;
  readonly externalAlarm?: ExternalPart;
  readonly bandAlarms?: ReadonlyArray<BandAlarmView>;
  readonly halAlarms?: ReadonlyArray<HalAlarmView>;
}

export interface BandAlarmView extends Part {
  readonly label?: string;
  readonly minFrequency?: Edge;
  readonly maxFrequency?: Edge;
  readonly calculatedOverall?: { readonly value: number; readonly unit: string };
}

export interface HalAlarmView extends HalPart {
  readonly label: string;
}

/** What GET of an alarm status answers. */
export interface AlarmStatusView extends PartsView {
  readonly nodeId: string;
  readonly updatedAt: number;
  readonly status: Status;
}

/** The threshold that GET shows, with its revision. */
export interface RevisedThreshold {
  readonly revision: number;
  readonly threshold: ThresholdView;
}

/** What both GETs answer, and the last event of which they know. */
export interface Snapshot {
  readonly threshold: RevisedThreshold;
  readonly alarmStatus: AlarmStatusView;
  readonly sequenceId: string;
}

export const snapshotView = (state: State): Snapshot => ({
  threshold: revisedThreshold(state),
  alarmStatus: alarmStatusView(state),
  sequenceId: state.sequenceId,
});

export const alarmStatusView = (state: State): AlarmStatusView => ({
  nodeId: state.nodeId,
  updatedAt: state.updatedAt,
  status: worstOf(state.parts),
  ...partsView(state.threshold, state.parts),
});

export const revisedThreshold = ({ nodeId, revision, threshold }: State): RevisedThreshold => ({
  revision,
  threshold: thresholdView(nodeId, threshold),
});

/** `parts` as they are shown: bands and HALs with what the threshold says of them at their position. */
export const partsView = ({ bandAlarms = [], halAlarms = [] }: Threshold, parts: Parts): PartsView => {
  const { overall, rateOfChange, inspection, external, bands = [], hals = [] } = parts;
  return {
    ...(overall !== undefined && { overallAlarm: overall }),
    ...(rateOfChange !== undefined && { rateOfChangeAlarm: rateOfChange }),
    ...(inspection !== undefined && { inspectionAlarm: inspection }),
    ...(external !== undefined && { externalAlarm: external }),
    ...(bands.length > 0 && {
      bandAlarms: bandAlarms.flatMap(({ overallThreshold: _, ...band }, index) => {
        const part = bands[index];
        return part === undefined ? [] : [{ ...part, ...band }];
      }),
    }),
    ...(hals.length > 0 && {
      halAlarms: halAlarms.flatMap(({ label }, index) => {
        const part = hals[index];
        return part === undefined ? [] : [{ ...part, label }];
      }),
    }),
  };
};
