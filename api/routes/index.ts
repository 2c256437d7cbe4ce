import type { ApiSettings } from '../../process/settings';
import type { Limits } from '../../workflows/domain/limits';
import type { Hierarchy } from '../ports';
import type { Route } from '../contract/route';
import { getAlarmStatus, setExternalAlarm, updateAlarmStatus } from './alarm-status';
import { getThresholds } from './get-thresholds';
import { patchThreshold } from './patch-threshold';
import { getThreshold, setThreshold } from './threshold';

/** The one table of the specification's endpoints. The router, the OpenAPI document and tests are made of this table. */
export const routesOf = (settings: ApiSettings, hierarchy: Hierarchy): ReadonlyArray<Route> => {
  /** The limits of this process on what it sends to a node. */
  const limits: Limits = {
    choices: settings.MAX_CHOICES,
    bands: settings.MAX_BANDS,
    hals: settings.MAX_HALS,
    textLength: settings.MAX_TEXT_LENGTH,
    spectrumLines: settings.MAX_SPECTRUM_LINES,
  };
  return [
    setThreshold(settings, limits),
    patchThreshold(settings, limits),
    getThreshold(settings),
    getThresholds(settings, hierarchy),
    getAlarmStatus,
    updateAlarmStatus(settings, limits),
    setExternalAlarm(settings),
  ];
};
