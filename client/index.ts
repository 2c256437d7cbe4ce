/** The package's `point-alarm-service/client`: a client of the API, and its types. */
export type { ProblemType } from '../api/http/problems/catalogue';
export * from './interface';
export { createPointAlarmClient } from './point-alarm-client';
