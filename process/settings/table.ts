import type { Decoder } from 'io-ts';
import { oneOf } from '../../workflows/domain/codecs';
import { BATCH_NODES, hardLimits, PATCH_BYTES, PATCH_OPERATIONS } from '../../workflows/domain/limits';
import { bandThresholdNames } from '../../workflows/domain/threshold/band';
import { overallReadings } from '../../workflows/domain/rating/overall-regions';
import {
  address,
  anyText,
  duration,
  integer,
  line,
  onOff,
  payloadKeys,
  places,
  port,
  redisUrl,
  token,
  trueFalse,
  webUrl,
} from './codecs';

/** Who reads a setting; `pas with Temporal`: the commands that ask the nodes themselves. */
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

/** A limit that every node enforces: the API can only lower it. */
const atMost = (most: number): Preset<number> => preset(String(most), integer(1, most));

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Every setting, by its name; docs/configuration.md says what each is for. */
export const table = {
  ...readBy(['api', 'worker'], {
    HOST: preset('127.0.0.1', line),
    LOG_LEVEL: preset('info', oneOf('level', logLevels)),
    SHUTDOWN_DEADLINE_MS: preset('10000', duration(1)),
  }),
  ...readBy(['api', 'worker', 'pas'], {
    REDIS_URL: preset('redis://127.0.0.1:6379', redisUrl),
    REDIS_TLS_SERVER_CA_CERT_PATH: optional(line),
    REDIS_TLS_CLIENT_CERT_PATH: optional(line),
    REDIS_TLS_CLIENT_KEY_PATH: optional(line),
    REDIS_SENTINELS: optional(places),
    REDIS_SENTINEL_MASTER: optional(line),
    REDIS_SENTINEL_PASSWORD: optional(anyText),
    REDIS_CLUSTER_NODES: optional(places),
  }),
  ...readBy(['api', 'worker'], { REDIS_REPLICAS_REQUIRED: preset('0', integer(0, 10)) }),
  ...readBy(['api', 'worker', 'pas'], { EVENT_STREAM: preset('point-alarm-events', line) }),
  ...readBy(['api', 'worker'], {
    EVENT_STREAM_MAXLEN: preset('1000000', integer(0, 999_999_999_999)),
    EVENT_ATTRIBUTE_PREFIX: preset('Vendor.Hierarchy', line),
    BAND_THRESHOLD_NAME: preset('overallAlarmThreshold', oneOf('name', bandThresholdNames)),
  }),
  ...readBy(['api', 'worker', 'pas with Temporal'], {
    TEMPORAL_TASK_QUEUE: preset('point-alarm', line),
    TEMPORAL_SEARCH_ATTRIBUTES: preset('on', onOff),
    TEMPORAL_ADDRESS: preset('127.0.0.1:7233', address),
    TEMPORAL_NAMESPACE: preset('default', line),
    PAYLOAD_KEY: optional(payloadKeys),
    TEMPORAL_API_KEY: optional(anyText),
    TEMPORAL_TLS: optional(oneOf('truth', ['true', 'false', '1', '0'])),
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: optional(line),
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: optional(anyText),
    TEMPORAL_TLS_CLIENT_CERT_PATH: optional(line),
    TEMPORAL_TLS_CLIENT_CERT_DATA: optional(anyText),
    TEMPORAL_TLS_CLIENT_KEY_PATH: optional(line),
    TEMPORAL_TLS_CLIENT_KEY_DATA: optional(anyText),
    TEMPORAL_TLS_SERVER_NAME: optional(line),
    TEMPORAL_CONFIG_FILE: optional(line),
    TEMPORAL_PROFILE: optional(line),
  }),
  ...readBy(['api'], {
    PORT: preset('3000', port),
    DRAIN_MS: preset('2000', duration(0)),
    AUTH_JWKS_URL: optional(webUrl),
    AUTH_JWKS_FILE: optional(line),
    AUTH_JWKS_COOLDOWN_MS: preset('5000', duration(100)),
    AUTH_JWKS_MAX_AGE_MS: preset('86400000', integer(1_000, 604_800_000)),
    AUTH_ISSUER: optional(line),
    AUTH_AUDIENCE: optional(line),
    AUTH_USER_CLAIM: preset('sub', line),
    AUTH_REQUIRE_EXP: preset('true', trueFalse),
    GRANTS_FILE: optional(line),
    HIERARCHY_FILE: optional(line),
    AUTHORIZER_URL: optional(webUrl),
    AUTHORIZER_TOKEN: optional(token),
    AUTHORIZER_TIMEOUT_MS: preset('2000', duration(1)),
    AUTHORIZER_CACHE_MS: preset('2000', integer(0, 60_000)),
    BEARINGS_FILE: optional(line),
    OVERALL_REGIONS: preset('literal', oneOf('reading', overallReadings)),
    EVENT_RELAY: preset('api', oneOf('relay', ['api', 'node'])),
    READS: preset('node', oneOf('reads', ['node', 'cache'])),
    CACHED_NODES: preset('10000', integer(1, 10_000_000)),
    CALL_DEADLINE_MS: preset('10000', duration(1)),
    HEADERS_TIMEOUT_MS: preset('10000', duration(1)),
    REQUEST_TIMEOUT_MS: preset('30000', duration(1)),
    KEEP_ALIVE_TIMEOUT_MS: preset('65000', duration(1)),
    SOCKET_TIMEOUT_MS: preset('60000', duration(1)),
    MAX_CONNECTIONS: preset('10000', integer(1, 1_000_000)),
    MAX_HEADER_BYTES: preset('16384', integer(1_024, 65_536)),
    MAX_HEADERS: preset('100', integer(10, 1_000)),
    MAX_BODY_BYTES: preset('1048576', integer(1, 16_777_216)),
    MAX_BODIES: preset('64', integer(4, 16_384)),
    MAX_PATCH_BYTES: atMost(PATCH_BYTES),
    MAX_PATCH_OPERATIONS: atMost(PATCH_OPERATIONS),
    MAX_BATCH_NODES: preset('1000', integer(1, BATCH_NODES)),
    MAX_CHOICES: atMost(hardLimits.choices),
    MAX_BANDS: atMost(hardLimits.bands),
    MAX_HALS: atMost(hardLimits.hals),
    MAX_TEXT_LENGTH: atMost(hardLimits.textLength),
    MAX_SPECTRUM_LINES: atMost(hardLimits.spectrumLines),
    MAX_WAITING_CALLS: preset('256', integer(1, 100_000)),
    RATE_LIMIT_PER_SECOND: preset('0', integer(0, 1_000_000)),
    RATE_LIMIT_BURST: preset('100', integer(1, 1_000_000)),
  }),
  ...readBy(['worker'], {
    WORKER_PORT: preset('3001', port),
    MAX_CACHED_WORKFLOWS: preset('2000', integer(2, 1_000_000)),
    MAX_CONCURRENT_WORKFLOW_TASKS: preset('40', integer(2, 10_000)),
    MAX_CONCURRENT_ACTIVITIES: preset('100', integer(1, 1_000_000)),
    WORKFLOW_TASK_POLLERS: preset('30', integer(2, 1_000)),
    ACTIVITY_POLLERS: preset('10', integer(1, 1_000)),
    STICKY_TIMEOUT_MS: preset('3000', duration(100)),
    WORKER_DEPLOYMENT: optional(line),
    WORKER_BUILD_ID: optional(line),
  }),
  ...readBy(['pas'], {
    POINT_ALARM_URL: preset('http://127.0.0.1:3000', webUrl),
    POINT_ALARM_TOKEN: optional(token),
  }),
  ...readBy(['start'], { TEMPORAL_CLI: optional(line) }),
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
