export { apiSettings, type ApiSettings, type AuthSettings, type RequestLimits } from './api-settings';
export { cliSettings, cliTemporalSettings, type CliSettings } from './cli-settings';
export type { EventSettings } from './event-settings';
export type { AuthorizerSettings, GrantsSource } from './grants-settings';
export { orExit } from './or-exit';
export type { PayloadKeys } from './payload-keys';
export type { Place, RedisSettings, RedisTls } from './redis-settings';
export type { TemporalSettings } from './temporal-settings';
export { workerSettings, type WorkerSettings } from './worker-settings';
