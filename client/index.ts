/** The package's `point-alarm-service/client`: a client of the API, and its types. */
export type { ProblemType } from '../api/http/problems/catalogue';
export type {
  AlarmStatus,
  CallOptions,
  ClientSettings,
  ExternalAlarm,
  Failure,
  MeasurementInput,
  PatchOperation,
  PointAlarmClient,
  ProblemBody,
  Reason,
  Result,
  Tagged,
  TaggedThreshold,
  Threshold,
  ThresholdInput,
  ThresholdWriteOptions,
  Unjudged,
  WriteOptions,
} from './interface';
export { unjudged } from './interface';
export { createPointAlarmClient } from './point-alarm-client';
