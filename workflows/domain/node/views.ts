import { partsView, type AlarmStatusView } from '../alarm/alarm-status';
import { worstOf } from '../alarm/parts';
import { thresholdView, type ThresholdView } from '../threshold/threshold-view';
import type { State } from './state';

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
