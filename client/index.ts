/** The entry point `point-alarm-service/client` of the npm package: a client of the API, and its types. */
export type { ProblemType } from '../api/contract/problems/catalogue';
export * from './interface';
export { createPointAlarmClient } from './point-alarm-client';
