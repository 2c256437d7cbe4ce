import { join } from 'node:path';
import { developmentGrants } from '../dev-auth/development-grants';
import { AUDIENCE, developmentKey, ISSUER } from '../dev-auth/development-key';
import { setting, type Environment } from '../stack/environment';
import type { Servers } from '../stack/servers';
import { jemalloc } from './jemalloc';

/** What the worker and the API get on top of the user's own settings. */
export interface PartEnvironment {
  readonly env: Environment;
  /** Whether the API takes the tokens of `npm run token`. */
  readonly takesDevelopmentTokens: boolean;
}

/** The user's settings, the servers that were brought up, and a key and grants for development where none are set. */
export const partEnvironment = async (env: Environment, servers: Servers, folder: string): Promise<PartEnvironment> => {
  const authFolder = join(folder, 'dev-auth');
  const takesDevelopmentTokens = (setting(env, 'AUTH_JWKS_URL') ?? setting(env, 'AUTH_JWKS_FILE')) === undefined;
  const allowsEverything = (setting(env, 'GRANTS_FILE') ?? setting(env, 'AUTHORIZER_URL')) === undefined;
  return {
    takesDevelopmentTokens,
    env: {
      DRAIN_MS: '0', // nobody balances calls here
      ...(jemalloc !== undefined && { LD_PRELOAD: jemalloc }),
      ...without(env, servers),
      ...(servers.temporal.own !== undefined && { TEMPORAL_CONFIG_FILE: join(folder, 'temporal', 'profiles.toml') }), // there is none
      TEMPORAL_ADDRESS: servers.temporal.address,
      TEMPORAL_NAMESPACE: servers.temporal.namespace,
      REDIS_URL: servers.redis.url,
      ...(takesDevelopmentTokens && (await keySettings(authFolder))),
      ...(allowsEverything && { GRANTS_FILE: developmentGrants(authFolder) }),
    },
  };
};

/** Our own servers have neither TLS nor keys: what is set, or kept in a profile, for another one must not reach them. */
const without = (env: Environment, { temporal, redis }: Servers): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !(temporal.own !== undefined && OF_ANOTHER_TEMPORAL.test(name)) &&
        !(redis.own !== undefined && OF_ANOTHER_REDIS.test(name)),
    ),
  );

const OF_ANOTHER_TEMPORAL = /^TEMPORAL_(TLS|API_KEY|PROFILE|CONFIG_FILE|GRPC_META|CODEC)/;
const OF_ANOTHER_REDIS = /^REDIS_TLS_/;

const keySettings = async (folder: string): Promise<Environment> => ({
  AUTH_JWKS_FILE: (await developmentKey(folder)).jwksFile,
  AUTH_ISSUER: ISSUER,
  AUTH_AUDIENCE: AUDIENCE,
});
