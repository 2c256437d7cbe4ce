import type { RequestLimits } from '../settings';
import { type BandThresholdName, SHOWN_NAME } from '../../workflows/domain/threshold/band';
import type { Hierarchy } from '../ports';
import type { Route } from '../http/route';
import { getAlarmStatus } from './get-alarm-status';
import { getThreshold } from './get-threshold';
import { getThresholds } from './get-thresholds';
import { patchThreshold } from './patch-threshold';
import { setExternalAlarm } from './set-external-alarm';
import { setThreshold } from './set-threshold';
import { updateAlarmStatus } from './update-alarm-status';

/**
 * The one table of the specification's endpoints: routing, documents and tests come from it. `bandThresholdName` is the name
 * that answers give to the limits of bands.
 */
export const routesOf = (
  limits: RequestLimits,
  hierarchy: Hierarchy,
  callDeadlineMs: number,
  bandThresholdName: BandThresholdName = SHOWN_NAME,
): ReadonlyArray<Route> => [
  setThreshold(limits),
  patchThreshold(limits, bandThresholdName),
  getThreshold(bandThresholdName),
  getThresholds(limits, hierarchy, callDeadlineMs, bandThresholdName),
  getAlarmStatus,
  updateAlarmStatus(limits),
  setExternalAlarm(limits),
];
