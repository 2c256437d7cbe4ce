/** The package's `point-alarm-service/client`: a client of the API, and its types. */
export type { Failure, ProblemBody, Reason } from './failure';
export type {
  CallOptions,
  ClientSettings,
  PointAlarmClient,
  Result,
  Tagged,
  TaggedThreshold,
  ThresholdWriteOptions,
  WriteOptions,
} from './interface';
export { createPointAlarmClient } from './point-alarm-client';
export { unjudged } from './values';
export type { ProblemType } from '../api/http/problems/catalogue';
export type {
  AlarmStatus,
  ExternalAlarm,
  MeasurementInput,
  PatchOperation,
  Threshold,
  ThresholdInput,
  Unjudged,
} from './values';
