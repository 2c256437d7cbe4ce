import type { ApiSettings } from '../../process/settings';
import type { Hierarchy } from '../ports';
import type { Route } from '../http/route';
import { getAlarmStatus } from './get-alarm-status';
import { getThreshold } from './get-threshold';
import { getThresholds } from './get-thresholds';
import { patchThreshold } from './patch-threshold';
import { setExternalAlarm } from './set-external-alarm';
import { setThreshold } from './set-threshold';
import { updateAlarmStatus } from './update-alarm-status';

/** The one table of the specification's endpoints: routing, documents and tests come from it. */
export const routesOf = (settings: ApiSettings, hierarchy: Hierarchy): ReadonlyArray<Route> => [
  setThreshold(settings),
  patchThreshold(settings),
  getThreshold(settings),
  getThresholds(settings, hierarchy),
  getAlarmStatus,
  updateAlarmStatus(settings),
  setExternalAlarm(settings),
];
