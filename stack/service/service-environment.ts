import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIENCE, developmentGrants, developmentKey, ISSUER } from '../dev-auth';
import { setting, type Environment } from '../environment';
import type { Servers } from '../servers';

/** Debian has a folder for each architecture, others one for all. */
const debianNames: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'x86_64', arm64: 'aarch64' };
const folders = [`/usr/lib/${debianNames[process.arch] ?? process.arch}-linux-gnu`, '/usr/lib64', '/usr/lib'];

/** Where jemalloc is, which API and worker are given instead of the system's malloc where it is installed (docs/operations.md, "Sizing"). */
export const jemalloc = folders.map((folder) => join(folder, 'libjemalloc.so.2')).find((file) => existsSync(file));

/** What the worker and the API get on top of the user's own settings. */
export interface ServiceEnvironment {
  readonly env: Environment;
  /** Whether the API takes the tokens of `npm run token`. */
  readonly takesDevelopmentTokens: boolean;
}

/** The user's settings, the servers that were brought up, and a key and grants for development where none are set. */
export const serviceEnvironment = async (
  env: Environment,
  servers: Servers,
  folder: string,
): Promise<ServiceEnvironment> => {
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
