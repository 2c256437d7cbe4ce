import { oneOf } from '../../workflows/domain/codecs';
import { BATCH_NODES, hardLimits, PATCH_BYTES, PATCH_OPERATIONS } from '../../workflows/domain/limits';
import { bandThresholdNames } from '../../workflows/domain/threshold/band-name';
import { overallReadings } from '../../workflows/domain/rating/overall-regions';
import {
  address,
  anyText,
  duration,
  integer,
  line,
  onOff,
  places,
  port,
  redisUrl,
  token,
  trueFalse,
  webUrl,
} from './from-text';
import { payloadKeys } from './payload-keys';
import { optional, preset, type Setting } from './setting';

/** A limit that every node enforces: the API can only lower it. */
const atMost = (most: number, meaning: string, unit?: string): Setting<number> =>
  preset(String(most), integer(1, most), `${meaning}; may be lowered only`, unit);

const some = integer(1, 1_000_000);
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const truth = oneOf('truth', ['true', 'false', '1', '0']);

/** The settings of the API and of the worker. */
export const sharedSettings = {
  HOST: preset('127.0.0.1', line, 'Address that the process listens on'),
  LOG_LEVEL: preset('info', oneOf('level', logLevels), `Least level that is logged: ${logLevels.join(', ')}`),
  REDIS_URL: preset(
    'redis://127.0.0.1:6379',
    redisUrl,
    'Redis, which holds the event stream; `npm start` brings one up unless it is set',
  ),
  REDIS_TLS_SERVER_CA_CERT_PATH: optional(line, 'File of the certificate authority of Redis; needs a `rediss://` URL'),
  REDIS_TLS_CLIENT_CERT_PATH: optional(line, 'File of the client certificate for Redis; needs its key'),
  REDIS_TLS_CLIENT_KEY_PATH: optional(line, "File of that certificate's key"),
  REDIS_SENTINELS: optional(
    places,
    'Sentinels that know the primary, `host:port,…`; of `REDIS_URL` then only protocol, user, password and database count',
  ),
  REDIS_SENTINEL_MASTER: optional(line, 'Name by which the sentinels know the primary'),
  REDIS_SENTINEL_PASSWORD: optional(anyText, 'Password of the sentinels themselves'),
  REDIS_CLUSTER_NODES: optional(
    places,
    'Nodes of the Redis Cluster that are asked for the others, `host:port,…`; of `REDIS_URL` then only protocol, user and password count',
  ),
  REDIS_REPLICAS_REQUIRED: preset(
    '0',
    integer(0, 10),
    'Replicas that must have an event before it counts as published (docs/reliability.md, "Failover")',
  ),
  EVENT_STREAM: preset(
    'point-alarm-events',
    line,
    'Redis stream of the events; in a Redis Cluster with one partition its name needs a hash tag: `{point-alarm-events}`',
  ),
  EVENT_STREAM_PARTITIONS: preset(
    '1',
    integer(1, 1_024),
    'Redis streams that the events are spread over, by node (docs/events.md, "Partitions")',
  ),
  EVENT_STREAM_MAXLEN: preset(
    '1000000',
    integer(0, 999_999_999_999),
    'Entries that the stream, or each of its partitions, is trimmed to, about; 0 never trims',
  ),
  EVENT_ATTRIBUTE_PREFIX: preset('Vendor.Hierarchy', line, "Prefix of the events' two attributes"),
  BAND_THRESHOLD_NAME: preset(
    'overallAlarmThreshold',
    oneOf('name', bandThresholdNames),
    `Name that the limits of a band go by in answers and events: ${bandThresholdNames.join(', ')}; both are accepted from callers`,
  ),
  SHUTDOWN_DEADLINE_MS: preset('10000', duration(1), 'Longest time that stopping in order may take', 'ms'),
  TEMPORAL_TASK_QUEUE: preset('point-alarm', line, 'Task queue of the nodes'),
  TEMPORAL_SEARCH_ATTRIBUTES: preset(
    'on',
    onOff,
    'Whether nodes keep their status as the search attribute `PointAlarmStatus`: on, off',
  ),
  TEMPORAL_ADDRESS: preset(
    '127.0.0.1:7233',
    address,
    'Address of Temporal; `npm start` brings one up unless it is set',
  ),
  TEMPORAL_NAMESPACE: preset('default', line, 'Namespace of the nodes'),
  PAYLOAD_KEY: optional(
    payloadKeys,
    'Keys that encrypt the payloads in Temporal, `<id>:<32 bytes in base64>[,<id>:<base64>…]`: the first encrypts, all decrypt; `none,` in front encrypts nothing (docs/operations.md)',
  ),
  TEMPORAL_API_KEY: optional(anyText, 'API key for Temporal; turns TLS on'),
  TEMPORAL_TLS: optional(truth, 'Whether Temporal is called by TLS: true, false'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: optional(line, 'File of the certificate authority of Temporal'),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: optional(anyText, 'The same as text, PEM'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: optional(line, 'File of the client certificate; needs its key'),
  TEMPORAL_TLS_CLIENT_CERT_DATA: optional(anyText, 'The same as text, PEM'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: optional(line, "File of the client certificate's key"),
  TEMPORAL_TLS_CLIENT_KEY_DATA: optional(anyText, 'The same as text, PEM'),
  TEMPORAL_TLS_SERVER_NAME: optional(line, 'Name that the certificate of Temporal must bear'),
  TEMPORAL_CONFIG_FILE: optional(
    line,
    "File of connection profiles; else `temporalio/temporal.toml` in the user's configuration folder, if it is there",
  ),
  TEMPORAL_PROFILE: optional(line, 'Profile of that file; else `default`'),
};

/** The settings of the API alone. */
export const apiOnlySettings = {
  PORT: preset('3000', port, 'Port of the API; 0 takes any free one'),
  AUTH_JWKS_URL: optional(webUrl, 'Key set that signs the tokens, by URL; this or `AUTH_JWKS_FILE` is required'),
  AUTH_JWKS_FILE: optional(line, 'Key set that signs the tokens, as a file; re-read when it changes'),
  AUTH_JWKS_COOLDOWN_MS: preset(
    '5000',
    duration(100),
    'Time after a fetch of the key set in which an unknown key causes no other fetch',
    'ms',
  ),
  AUTH_JWKS_MAX_AGE_MS: preset(
    '86400000',
    integer(1_000, 604_800_000),
    'Validity of the last keys while their URL is unavailable; then calls get 503',
    'ms',
  ),
  AUTH_ISSUER: optional(line, 'Required `iss` of a token; without it any'),
  AUTH_AUDIENCE: optional(line, 'Required member of `aud` of a token; without it any'),
  AUTH_USER_CLAIM: preset('sub', line, 'Claim that names the user'),
  AUTH_REQUIRE_EXP: preset('true', trueFalse, 'Whether a token without an expiry (`exp`) is refused: true, false'),
  GRANTS_FILE: optional(
    line,
    'File of grants; this or `AUTHORIZER_URL` is required (docs/authentication.md); re-read when it changes',
  ),
  HIERARCHY_FILE: optional(
    line,
    'The tree of nodes; without it every UUID is a measurement point; re-read when it changes',
  ),
  BEARINGS_FILE: optional(line, 'Bearings of your own (docs/bearings.md); re-read when it changes'),
  AUTHORIZER_URL: optional(
    webUrl,
    'AuthZEN 1.0 policy decision point (PDP) that decides permissions, in place of `GRANTS_FILE`',
  ),
  AUTHORIZER_TOKEN: optional(token, 'Bearer token that is sent to the PDP'),
  AUTHORIZER_TIMEOUT_MS: preset(
    '2000',
    duration(1),
    'Longest time that the PDP may take, and never more than `CALL_DEADLINE_MS`; then the call gets 503',
    'ms',
  ),
  AUTHORIZER_CACHE_MS: preset(
    '2000',
    integer(0, 60_000),
    'Validity of a decision of the PDP, positive or negative; 0 requests one for every call',
    'ms',
  ),
  OVERALL_REGIONS: preset(
    'literal',
    oneOf('reading', overallReadings),
    "How the regions between an overall alarm's inner and outer limit read: literal, alert-band",
  ),
  EVENT_RELAY: preset(
    'api',
    oneOf('relay', ['api', 'node']),
    'Relay of events to the stream: the API as soon as they are committed, with the node as a fallback, or the node alone: api, node',
  ),
  READS: preset(
    'node',
    oneOf('reads', ['node', 'cache']),
    'Where reads are answered: by the node itself, or from a cache that follows the stream (docs/reliability.md): node, cache',
  ),
  CACHED_NODES: preset('10000', integer(1, 10_000_000), 'Most nodes that an API process caches with `READS=cache`'),
  CALL_DEADLINE_MS: preset('10000', duration(1), 'Longest time that a call may take', 'ms'),
  DRAIN_MS: preset(
    '2000',
    duration(0),
    'Time in which a stopping process still takes calls while `/readyz` answers 503, so that a balancer notices',
    'ms',
  ),
  HEADERS_TIMEOUT_MS: preset('10000', duration(1), 'Longest time that the head of a request may take', 'ms'),
  REQUEST_TIMEOUT_MS: preset('30000', duration(1), 'Longest time that a whole request may take to arrive', 'ms'),
  KEEP_ALIVE_TIMEOUT_MS: preset('65000', duration(1), 'Time that an idle connection is kept', 'ms'),
  SOCKET_TIMEOUT_MS: preset(
    '60000',
    duration(1),
    'Time that a connection may be silent while a call is in flight; then it is closed',
    'ms',
  ),
  MAX_CONNECTIONS: preset('10000', integer(1, 1_000_000), 'Most concurrent connections; further ones are closed'),
  MAX_HEADER_BYTES: preset('16384', integer(1_024, 65_536), 'Most of the head of a request', 'bytes'),
  MAX_HEADERS: preset('100', integer(10, 1_000), 'Most header fields of a request'),
  RATE_LIMIT_PER_SECOND: preset(
    '0',
    integer(0, 1_000_000),
    'Calls per second that a user may make of one API process, on average; a batch counts as its nodes; 0 sets no limit',
  ),
  RATE_LIMIT_BURST: preset('100', integer(1, 1_000_000), 'Calls that a user may make at once after a pause'),
  MAX_BODY_BYTES: preset('1048576', integer(1, 16_777_216), 'Most of a request body', 'bytes'),
  MAX_BODIES: preset(
    '64',
    integer(4, 16_384),
    'Bodies of `MAX_BODY_BYTES` that the calls in flight may hold in one API process; a user holds at most as much as is left for others',
  ),
  MAX_PATCH_BYTES: atMost(PATCH_BYTES, 'Most of a JSON Patch', 'bytes'),
  MAX_PATCH_OPERATIONS: atMost(PATCH_OPERATIONS, 'Most operations of a JSON Patch'),
  MAX_BATCH_NODES: preset('1000', integer(1, BATCH_NODES), 'Most nodes of a batch'),
  MAX_CHOICES: atMost(hardLimits.choices, 'Most choices of an inspection'),
  MAX_BANDS: atMost(hardLimits.bands, 'Most band alarms of a threshold'),
  MAX_HALS: atMost(hardLimits.hals, 'Most HAL alarms of a threshold'),
  MAX_TEXT_LENGTH: atMost(hardLimits.textLength, 'Most of a label or another text', 'characters'),
  MAX_SPECTRUM_LINES: atMost(hardLimits.spectrumLines, 'Most lines of a spectrum'),
  MAX_WAITING_CALLS: preset('256', integer(1, 100_000), 'Most calls that wait for one node in one API process'),
};

/** The settings of the worker alone. */
export const workerOnlySettings = {
  WORKER_PORT: preset('3001', port, "Port of the worker's health and metrics; the next free one when taken"),
  MAX_CACHED_WORKFLOWS: preset(
    '2000',
    integer(2, 1_000_000),
    'Most nodes kept in memory, about 200 KB each; the others are replayed when they are called',
  ),
  MAX_CONCURRENT_WORKFLOW_TASKS: preset('40', integer(2, 10_000), 'Workflow tasks at once'),
  MAX_CONCURRENT_ACTIVITIES: preset('100', some, 'Publications at once'),
  WORKFLOW_TASK_POLLERS: preset('30', integer(2, 1_000), 'Pollers for workflow tasks'),
  ACTIVITY_POLLERS: preset('10', integer(1, 1_000), 'Pollers for publications'),
  WORKER_DEPLOYMENT: optional(
    line,
    'Worker deployment that this worker belongs to; without it nodes run on any worker',
  ),
  WORKER_BUILD_ID: optional(line, 'Version of that deployment; needs `WORKER_DEPLOYMENT`, and is needed by it'),
  STICKY_TIMEOUT_MS: preset('3000', duration(100), 'Time that a node waits for the worker that has it in memory', 'ms'),
};

/** The settings that only `npm start`, `npm test` and `npm run bench` read. */
export const startOnlySettings = {
  TEMPORAL_CLI: optional(line, 'A `temporal` command to bring Temporal up with, version 1.8 or newer'),
};

/** The settings that only the command `pas` reads; of the others it reads `REDIS_*` and `EVENT_STREAM*`. */
export const cliOnlySettings = {
  POINT_ALARM_URL: preset('http://127.0.0.1:3000', webUrl, 'Address of the API for the command'),
  POINT_ALARM_TOKEN: optional(token, 'Token that it sends to the API; `npm run -s token` makes one for development'),
};

/** Renamed settings, with their replacements. */
export const renamedSettings: Readonly<Record<string, string>> = {
  PUSH_EVENTS: 'EVENT_RELAY (`on` is api, `off` is node)',
  MEMORY_NODES: 'CACHED_NODES',
  MAX_BODIES_BYTES: 'MAX_BODIES (a number of bodies of `MAX_BODY_BYTES`)',
  ERRORS_PER_SECOND: 'no setting (docs/admission.md)',
};
