import type { Decoder } from 'io-ts';
import { oneOf } from '../../workflows/domain/codecs';
import { BATCH_NODES, hardLimits, PATCH_BYTES, PATCH_OPERATIONS } from '../../workflows/domain/limits';
import { bandThresholdNames } from '../../workflows/domain/threshold/band';
import { overallReadings } from '../../workflows/domain/rating/overall-regions';
import * as c from './codecs';

/** The programs that read a setting. `pas with Temporal` stands for the commands of `pas` that call the workflows directly. */
export type Process = 'api' | 'worker' | 'pas' | 'pas with Temporal' | 'start';

/** A setting: an environment variable. `preset` is its default, as text. */
interface Draft<A> {
  readonly codec: Decoder<unknown, A>;
  readonly preset?: string;
}

interface Preset<A> extends Draft<A> {
  readonly preset: string;
}

interface ReadBy<P extends Process> {
  readonly processes: ReadonlyArray<P>;
}

export type Setting = Draft<unknown> & ReadBy<Process>;

const preset = <A>(text: string, codec: Decoder<unknown, A>): Preset<A> => ({ codec, preset: text });

const optional = <A>(codec: Decoder<unknown, A>): Draft<A> => ({ codec });

const readBy = <P extends Process, T extends Record<string, Draft<unknown>>>(processes: ReadonlyArray<P>, drafts: T) =>
  Object.fromEntries(Object.entries(drafts).map(([name, draft]) => [name, { ...draft, processes }])) as {
    readonly [K in keyof T]: T[K] & ReadBy<P>;
  };

/** A limit that every workflow enforces, too, so that the API's setting can only lower it. */
const atMost = (most: number): Preset<number> => preset(String(most), c.integer(1, most));

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Every setting by its name. docs/configuration.md says what each setting is for. */
export const table = {
  ...readBy(['api', 'worker'], {
    HOST: preset('127.0.0.1', c.singleLine),
    LOG_LEVEL: preset('info', oneOf('level', logLevels)),
    SHUTDOWN_DEADLINE_MS: preset('10000', c.duration(1)),
  }),
  ...readBy(['api', 'worker', 'pas'], {
    REDIS_URL: preset('redis://127.0.0.1:6379', c.redisUrl),
    REDIS_TLS_SERVER_CA_CERT_PATH: optional(c.singleLine),
    REDIS_TLS_CLIENT_CERT_PATH: optional(c.singleLine),
    REDIS_TLS_CLIENT_KEY_PATH: optional(c.singleLine),
    REDIS_SENTINELS: optional(c.places),
    REDIS_SENTINEL_MASTER: optional(c.singleLine),
    REDIS_SENTINEL_PASSWORD: optional(c.singleLine),
    REDIS_CLUSTER_NODES: optional(c.places),
  }),
  ...readBy(['api', 'worker'], { REDIS_REPLICAS_REQUIRED: preset('0', c.integer(0, 10)) }),
  ...readBy(['api', 'worker', 'pas'], { EVENT_STREAM: preset('point-alarm-events', c.singleLine) }),
  ...readBy(['api', 'worker'], {
    EVENT_STREAM_MAXLEN: preset('1000000', c.integer(0, 999_999_999_999)),
    EVENT_ATTRIBUTE_PREFIX: preset('Vendor.Hierarchy', c.singleLine),
    BAND_THRESHOLD_NAME: preset('overallAlarmThreshold', oneOf('name', bandThresholdNames)),
  }),
  ...readBy(['api', 'worker', 'pas with Temporal'], {
    TEMPORAL_TASK_QUEUE: preset('point-alarm', c.singleLine),
    TEMPORAL_SEARCH_ATTRIBUTES: preset('on', c.onOff),
    TEMPORAL_ADDRESS: preset('127.0.0.1:7233', c.address),
    TEMPORAL_NAMESPACE: preset('default', c.singleLine),
    PAYLOAD_KEY: optional(c.payloadKeys),
    TEMPORAL_API_KEY: optional(c.token),
    TEMPORAL_TLS: optional(oneOf('truth', ['true', 'false', '1', '0'])),
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: optional(c.singleLine),
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: optional(c.anyText),
    TEMPORAL_TLS_CLIENT_CERT_PATH: optional(c.singleLine),
    TEMPORAL_TLS_CLIENT_CERT_DATA: optional(c.anyText),
    TEMPORAL_TLS_CLIENT_KEY_PATH: optional(c.singleLine),
    TEMPORAL_TLS_CLIENT_KEY_DATA: optional(c.anyText),
    TEMPORAL_TLS_SERVER_NAME: optional(c.singleLine),
    TEMPORAL_CONFIG_FILE: optional(c.singleLine),
    TEMPORAL_PROFILE: optional(c.singleLine),
  }),
  ...readBy(['api'], {
    PORT: preset('3000', c.port),
    DRAIN_MS: preset('2000', c.duration(0)),
    AUTH_JWKS_URL: optional(c.webUrl),
    AUTH_JWKS_FILE: optional(c.singleLine),
    AUTH_JWKS_COOLDOWN_MS: preset('5000', c.duration(100)),
    AUTH_JWKS_MAX_AGE_MS: preset('86400000', c.integer(1_000, 604_800_000)),
    AUTH_ISSUER: optional(c.singleLine),
    AUTH_AUDIENCE: optional(c.singleLine),
    AUTH_USER_CLAIM: preset('sub', c.singleLine),
    AUTH_REQUIRE_EXP: preset('true', c.trueFalse),
    GRANTS_FILE: optional(c.singleLine),
    HIERARCHY_FILE: optional(c.singleLine),
    AUTHORIZER_URL: optional(c.webUrl),
    AUTHORIZER_TOKEN: optional(c.token),
    AUTHORIZER_TIMEOUT_MS: preset('2000', c.duration(1)),
    AUTHORIZER_CACHE_MS: preset('2000', c.integer(0, 60_000)),
    BEARINGS_FILE: optional(c.singleLine),
    OVERALL_REGIONS: preset('literal', oneOf('reading', overallReadings)),
    EVENT_RELAY: preset('api', oneOf('relay', ['api', 'node'])),
    READS: preset('node', oneOf('reads', ['node', 'cache'])),
    CACHED_NODES: preset('10000', c.integer(1, 10_000_000)),
    CALL_DEADLINE_MS: preset('10000', c.duration(1)),
    HEADERS_TIMEOUT_MS: preset('10000', c.duration(1)),
    REQUEST_TIMEOUT_MS: preset('30000', c.duration(1)),
    KEEP_ALIVE_TIMEOUT_MS: preset('65000', c.duration(1)),
    SOCKET_TIMEOUT_MS: preset('60000', c.duration(1)),
    MAX_CONNECTIONS: preset('10000', c.integer(1, 1_000_000)),
    MAX_HEADER_BYTES: preset('16384', c.integer(1_024, 65_536)),
    MAX_HEADERS: preset('100', c.integer(10, 1_000)),
    MAX_BODY_BYTES: preset('2097152', c.integer(1, 16_777_216)),
    CALL_MEMORY_BYTES: preset('67108864', c.integer(1_048_576, 17_179_869_184)),
    MAX_PATCH_BYTES: atMost(PATCH_BYTES),
    MAX_PATCH_OPERATIONS: atMost(PATCH_OPERATIONS),
    MAX_BATCH_NODES: preset('1000', c.integer(1, BATCH_NODES)),
    MAX_CHOICES: atMost(hardLimits.choices),
    MAX_BANDS: atMost(hardLimits.bands),
    MAX_HALS: atMost(hardLimits.hals),
    MAX_TEXT_LENGTH: atMost(hardLimits.textLength),
    MAX_SPECTRUM_LINES: atMost(hardLimits.spectrumLines),
    MAX_WAITING_CALLS: preset('256', c.integer(1, 100_000)),
    RATE_LIMIT_PER_SECOND: preset('0', c.integer(0, 1_000_000)),
    RATE_LIMIT_BURST: preset('100', c.integer(1, 1_000_000)),
  }),
  ...readBy(['worker'], {
    WORKER_PORT: preset('3001', c.port),
    MAX_CACHED_WORKFLOWS: preset('2000', c.integer(2, 1_000_000)),
    MAX_CONCURRENT_WORKFLOW_TASKS: preset('40', c.integer(2, 10_000)),
    MAX_CONCURRENT_ACTIVITIES: preset('100', c.integer(1, 1_000_000)),
    WORKFLOW_TASK_POLLERS: preset('30', c.integer(2, 1_000)),
    ACTIVITY_POLLERS: preset('10', c.integer(1, 1_000)),
    STICKY_TIMEOUT_MS: preset('3000', c.duration(100)),
    WORKER_DEPLOYMENT: optional(c.singleLine),
    WORKER_BUILD_ID: optional(c.singleLine),
  }),
  ...readBy(['pas'], {
    POINT_ALARM_URL: preset('http://127.0.0.1:3000', c.webUrl),
    POINT_ALARM_TOKEN: optional(c.token),
  }),
  ...readBy(['start'], { TEMPORAL_CLI: optional(c.singleLine), REDIS_SERVER: optional(c.singleLine) }),
};

type Table = typeof table;
type Name<P extends Process> = {
  [K in keyof Table]: Table[K] extends ReadBy<infer Q> ? (P extends Q ? K : never) : never;
}[keyof Table];

export type Values<P extends Process> = {
  readonly [K in Name<P>]: Table[K] extends Preset<infer A>
    ? A
    : Table[K] extends Draft<infer A>
      ? A | undefined
      : never;
};
