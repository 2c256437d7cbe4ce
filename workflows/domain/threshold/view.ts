import type { Band, BandLimits } from './band';
import type { Threshold } from './threshold';

/** A threshold as GET shows it: a band's limits are named `overallAlarmThreshold` there. */
export interface ThresholdView extends Omit<Threshold, 'bandAlarms'> {
  readonly nodeId: string;
  readonly bandAlarms?: ReadonlyArray<BandView>;
}

export interface BandView extends Omit<Band, 'overallThreshold'> {
  readonly overallAlarmThreshold?: BandLimits;
}

/** `threshold` of the node `nodeId` in GET's shape. */
export const thresholdView = (nodeId: string, { bandAlarms, ...threshold }: Threshold): ThresholdView => ({
  nodeId,
  ...threshold,
  ...(bandAlarms !== undefined && { bandAlarms: bandAlarms.map(bandView) }),
});

/** `band` in GET's shape. */
export const bandView = ({ overallThreshold, ...band }: Band): BandView => ({
  ...band,
  ...(overallThreshold !== undefined && { overallAlarmThreshold: overallThreshold }),
});
