import { sequenceT } from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Limits } from '../../workflows/domain/limits';
import type { OverallReading } from '../../workflows/domain/rating/overall-regions';
import { readSettings, textOf, type Environment, type Rule, type Values } from './setting';
import { apiOnlySettings, renamedSettings, sharedSettings } from './settings';
import { eventSettings, type EventSettings } from './event-settings';
import { grantsSource, whoGrants, type GrantsSource, type WhoGrants } from './grants-settings';
import { redisFaults, redisSettings, redisTls, type RedisSettings, type RedisTls } from './redis-settings';
import { temporalProfile, temporalSettings, type TemporalProfile, type TemporalSettings } from './temporal-settings';
import { validation } from './validation';

/** The settings of the API. */
export interface ApiSettings {
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly headersTimeoutMs: number;
    readonly requestTimeoutMs: number;
    readonly keepAliveTimeoutMs: number;
    readonly socketTimeoutMs: number;
    readonly connections: number;
    readonly headerBytes: number;
    readonly headers: number;
    /** Budget in bytes of all bodies in flight. */
    readonly bodiesBytes: number;
  };
  readonly temporal: TemporalSettings;
  readonly redis: RedisSettings;
  readonly events: EventSettings;
  /** Whether the API relays the events of nodes; otherwise the nodes publish them. */
  readonly relaysEvents: boolean;
  readonly limits: RequestLimits;
  /** Rate limit per user and process; 0 per second: no limit. */
  readonly rate: { readonly perSecond: number; readonly burst: number; readonly errorsPerSecond: number };
  readonly auth: AuthSettings;
  readonly grants: GrantsSource;
  readonly hierarchyFile?: string;
  readonly bearingsFile?: string;
  readonly overallRegions: OverallReading;
  /** Capacity of the read cache in nodes; absent: every read goes to the node. */
  readonly cachedNodes?: number;
  readonly callDeadlineMs: number;
  readonly drainMs: number;
  readonly shutdownDeadlineMs: number;
  readonly logLevel: string;
}

/** The size limits of a request, and the capacity of a node queue. */
export interface RequestLimits extends Limits {
  readonly bodyBytes: number;
  readonly patchBytes: number;
  readonly patchOperations: number;
  readonly batchNodes: number;
  readonly waitingCalls: number;
}

/** The accepted tokens, the claim that names the user, and whether an expiry is required. */
export interface AuthSettings {
  readonly jwks: JwksSource;
  readonly issuer?: string;
  readonly audience?: string;
  readonly userClaim: string;
  readonly requireExpiry: boolean;
}

export type JwksSource =
  { readonly url: string; readonly cooldownMs?: number; readonly maxAgeMs?: number } | { readonly file: string };

/** The settings of the API in `env`, or every fault found. */
export const apiSettings = (env: Environment): E.Either<ReadonlyArray<string>, ApiSettings> =>
  pipe(
    sequenceT(validation)(
      readSettings(table, env, rules),
      unlessRenamed(env),
      temporalProfile(env),
      redisTls(env),
      keys(env),
      whoGrants(env),
      redisFaults(env),
    ),
    E.map(([values, , profile, tls, jwks, who]) => nested(values, profile, tls, jwks, who)),
  );

const table = { ...sharedSettings, ...apiOnlySettings };

const rules: ReadonlyArray<Rule<typeof table>> = [
  {
    of: ['HEADERS_TIMEOUT_MS', 'REQUEST_TIMEOUT_MS'],
    holds: (values) => values.HEADERS_TIMEOUT_MS <= values.REQUEST_TIMEOUT_MS,
    fault: 'HEADERS_TIMEOUT_MS must be at most REQUEST_TIMEOUT_MS',
  },
  {
    of: ['CALL_DEADLINE_MS', 'SOCKET_TIMEOUT_MS'],
    holds: (values) => values.CALL_DEADLINE_MS < values.SOCKET_TIMEOUT_MS,
    fault: 'CALL_DEADLINE_MS must be less than SOCKET_TIMEOUT_MS',
  },
  {
    of: ['MAX_BODIES_BYTES', 'MAX_BODY_BYTES'],
    holds: (values) => 4 * values.MAX_BODY_BYTES <= values.MAX_BODIES_BYTES,
    fault: 'MAX_BODIES_BYTES must be at least 4 times MAX_BODY_BYTES',
  },
  {
    of: ['DRAIN_MS', 'SHUTDOWN_DEADLINE_MS'],
    holds: (values) => values.DRAIN_MS < values.SHUTDOWN_DEADLINE_MS,
    fault: 'DRAIN_MS must be less than SHUTDOWN_DEADLINE_MS',
  },
];

/** An old name would be ignored silently, so the process does not start and names the new one. */
const unlessRenamed = (env: Environment): E.Either<ReadonlyArray<string>, void> => {
  const old = Object.entries(renamedSettings).filter(([name]) => textOf(env, name) !== undefined);
  return old.length === 0 ? E.right(undefined) : E.left(old.map(([name, now]) => `${name} is now ${now}`));
};

const keys = (env: Environment): E.Either<ReadonlyArray<string>, JwksSource> => {
  const url = textOf(env, 'AUTH_JWKS_URL');
  const file = textOf(env, 'AUTH_JWKS_FILE');
  if (url !== undefined && file !== undefined) return E.left(['AUTH_JWKS_URL and AUTH_JWKS_FILE exclude each other']);
  if (url !== undefined) return E.right({ url });
  return file !== undefined
    ? E.right({ file })
    : E.left(['AUTH_JWKS_URL or AUTH_JWKS_FILE is required: the keys that sign the tokens']);
};

const nested = (
  values: Values<typeof table>,
  profile: TemporalProfile,
  tls: RedisTls,
  jwks: JwksSource,
  who: WhoGrants,
): ApiSettings => ({
  http: {
    host: values.HOST,
    port: values.PORT,
    headersTimeoutMs: values.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
    keepAliveTimeoutMs: values.KEEP_ALIVE_TIMEOUT_MS,
    socketTimeoutMs: values.SOCKET_TIMEOUT_MS,
    connections: values.MAX_CONNECTIONS,
    headerBytes: values.MAX_HEADER_BYTES,
    headers: values.MAX_HEADERS,
    bodiesBytes: values.MAX_BODIES_BYTES,
  },
  temporal: temporalSettings(profile, values),
  redis: redisSettings(values, tls),
  events: eventSettings(values),
  relaysEvents: values.EVENT_RELAY === 'api',
  limits: requestLimits(values),
  rate: {
    perSecond: values.RATE_LIMIT_PER_SECOND,
    burst: values.RATE_LIMIT_BURST,
    errorsPerSecond: values.ERRORS_PER_SECOND,
  },
  auth: {
    jwks:
      'url' in jwks
        ? { ...jwks, cooldownMs: values.AUTH_JWKS_COOLDOWN_MS, maxAgeMs: values.AUTH_JWKS_MAX_AGE_MS }
        : jwks,
    ...(values.AUTH_ISSUER !== undefined && { issuer: values.AUTH_ISSUER }),
    ...(values.AUTH_AUDIENCE !== undefined && { audience: values.AUTH_AUDIENCE }),
    userClaim: values.AUTH_USER_CLAIM,
    requireExpiry: values.AUTH_REQUIRE_EXP,
  },
  grants: grantsSource(who, values),
  ...(values.HIERARCHY_FILE !== undefined && { hierarchyFile: values.HIERARCHY_FILE }),
  ...(values.BEARINGS_FILE !== undefined && { bearingsFile: values.BEARINGS_FILE }),
  overallRegions: values.OVERALL_REGIONS,
  ...(values.READS === 'cache' && { cachedNodes: values.CACHED_NODES }),
  callDeadlineMs: values.CALL_DEADLINE_MS,
  drainMs: values.DRAIN_MS,
  shutdownDeadlineMs: values.SHUTDOWN_DEADLINE_MS,
  logLevel: values.LOG_LEVEL,
});

const requestLimits = (values: Values<typeof apiOnlySettings>): RequestLimits => ({
  bodyBytes: values.MAX_BODY_BYTES,
  patchBytes: values.MAX_PATCH_BYTES,
  patchOperations: values.MAX_PATCH_OPERATIONS,
  batchNodes: values.MAX_BATCH_NODES,
  waitingCalls: values.MAX_WAITING_CALLS,
  choices: values.MAX_CHOICES,
  bands: values.MAX_BANDS,
  hals: values.MAX_HALS,
  textLength: values.MAX_TEXT_LENGTH,
  spectrumLines: values.MAX_SPECTRUM_LINES,
});
