import type { RequestLimits } from '../../process/settings';
import type { Hierarchy } from '../ports';
import type { Route } from '../route';
import { getAlarmStatus } from './get-alarm-status';
import { getThreshold } from './get-threshold';
import { getThresholds } from './get-thresholds';
import { patchThreshold } from './patch-threshold';
import { setExternalAlarm } from './set-external-alarm';
import { setThreshold } from './set-threshold';
import { updateAlarmStatus } from './update-alarm-status';

/** The one table of the specification's endpoints: routing, documents and tests come from it. */
export const routesOf = (limits: RequestLimits, hierarchy: Hierarchy, callDeadlineMs: number): ReadonlyArray<Route> => [
  setThreshold(limits),
  patchThreshold(limits),
  getThreshold,
  getThresholds(limits, hierarchy, callDeadlineMs),
  getAlarmStatus,
  updateAlarmStatus(limits),
  setExternalAlarm(limits),
];
