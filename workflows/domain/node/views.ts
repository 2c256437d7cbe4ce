import { partsView, type AlarmStatusView } from '../alarm/alarm-status';
import { worstOf } from '../alarm/parts';
import { thresholdView, type ThresholdView } from '../threshold/threshold';
import type { State } from './state';
import type { Status } from '../alarm/status';

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

/**
 * A node writes its status into the search attribute at most once in this time (ms). Each write costs the server about as much as
 * a command (docs/benchmarks.md), and an alarm that flaps is not to pay that for every change.
 */
export const SHOWN_EVERY_MS = 2_000;

/** The status that was shown last, if any, and when (epoch ms); 0 for a node that begins. */
export interface ShownStatus {
  readonly status: Status | undefined;
  readonly at: number;
}

/** What is to be done so that `status` is shown: nothing, show it now, or wait until it may be shown. */
export const showing = (shown: ShownStatus, status: Status, now: number): 'isShown' | 'isDue' | 'waits' => {
  if (status === shown.status) return 'isShown';
  return now - shown.at >= SHOWN_EVERY_MS ? 'isDue' : 'waits';
};
