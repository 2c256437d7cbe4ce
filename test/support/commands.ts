import { userId, type Members, type Sent } from './scenario';

export const setThreshold = (threshold: Members, about: Members = {}): Sent => [
  'setThreshold',
  { userId, threshold, ...about },
];
export const patchThreshold = (operations: ReadonlyArray<unknown>, about: Members = {}): Sent => [
  'patchThreshold',
  { userId, operations, ...about },
];
export const recordMeasurement = (measurement: Members, about: Members = {}): Sent => [
  'recordMeasurement',
  { userId, measurement, ...about },
];
export const recalculate = (about: Members = {}): Sent => ['recalculate', { userId, ...about }];
export const republish = (about: Members = {}): Sent => ['republish', { userId, ...about }];
export const setExternalAlarm = (alarm: Members, about: Members = {}): Sent => [
  'setExternalAlarm',
  { userId, ...alarm, ...about },
];
