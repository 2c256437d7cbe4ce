import { setting } from '../../stack/environment';

/** The commands of Temporal and Redis that `npm test` found already. */
export const foundCommands = (env: NodeJS.ProcessEnv): { readonly temporal?: string; readonly redis?: string } => {
  const [temporal, redis] = [setting(env, 'POINT_ALARM_TEMPORAL_CLI'), setting(env, 'POINT_ALARM_REDIS_SERVER')];
  return { ...(temporal !== undefined && { temporal }), ...(redis !== undefined && { redis }) };
};
