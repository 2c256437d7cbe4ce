import * as E from 'fp-ts/Either';
import { flow } from 'fp-ts/function';
import { decode, oneOf, type Codec } from '../../workflows/domain/codecs';
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

/** What a reader wants to set, in the order of docs/configuration.md. */
export const tasks = [
  'Command line',
  'Addresses, logs, start and stop',
  'Tokens and permissions',
  'Rating',
  'Redis',
  'Events',
  'Temporal',
  'Reads',
  'Rates of users',
  'Workers',
  'Limits of requests and connections',
] as const;

/** A setting: an environment variable. `preset` is its default, as text. */
interface Draft<A> {
  /** The value of a text, or why the text is wrong. */
  readonly read: (text: string) => E.Either<string, A>;
  readonly preset?: string;
  readonly meaning: string;
}

interface Preset<A> extends Draft<A> {
  readonly preset: string;
}

/** The columns that settings of one task and the same processes share. */
interface Shared<P extends Process> {
  readonly task: (typeof tasks)[number];
  readonly processes: ReadonlyArray<P>;
}

export type Setting = Draft<unknown> & Shared<Process>;

const preset = <A>(text: string, codec: Codec<A>, meaning: string): Preset<A> => ({
  read: reader(codec),
  preset: text,
  meaning,
});

const optional = <A>(codec: Codec<A>, meaning: string): Draft<A> => ({ read: reader(codec), meaning });

const reader = <A>(codec: Codec<A>): Draft<A>['read'] =>
  flow(
    (text) => decode(codec, text),
    E.mapLeft((reasons) => reasons.map(({ reason }) => reason).join(', ')),
  );

const rows = <P extends Process, T extends Readonly<Record<string, Draft<unknown>>>>(
  task: Shared<P>['task'],
  processes: ReadonlyArray<P>,
  drafts: T,
): { readonly [K in keyof T]: T[K] & Shared<P> } =>
  Object.fromEntries(Object.entries(drafts).map(([name, draft]) => [name, { ...draft, task, processes }])) as {
    readonly [K in keyof T]: T[K] & Shared<P>;
  };

/** A limit that every node enforces: the API can only lower it. */
const atMost = (most: number, meaning: string): Preset<number> =>
  preset(String(most), integer(1, most), `${meaning}; may be lowered only`);

const some = integer(1, 1_000_000);
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const truth = oneOf('truth', ['true', 'false', '1', '0']);

/** Every setting, by its name. */
export const table = {
  ...rows('Addresses, logs, start and stop', ['api', 'worker'], {
    HOST: preset('127.0.0.1', line, 'Address that the process listens on'),
    LOG_LEVEL: preset('info', oneOf('level', logLevels), `Least level that is logged: ${logLevels.join(', ')}`),
    SHUTDOWN_DEADLINE_MS: preset('10000', duration(1), 'Longest time that stopping in order may take'),
  }),
  ...rows('Redis', ['api', 'worker', 'pas'], {
    REDIS_URL: preset(
      'redis://127.0.0.1:6379',
      redisUrl,
      'Redis, which holds the event stream; `npm start` brings one up unless it is set',
    ),
    REDIS_TLS_SERVER_CA_CERT_PATH: optional(
      line,
      'File of the certificate authority of Redis; needs a `rediss://` URL',
    ),
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
  }),
  ...rows('Redis', ['api', 'worker'], {
    REDIS_REPLICAS_REQUIRED: preset(
      '0',
      integer(0, 10),
      'Replicas that must have an event before it counts as published (docs/reliability.md, "Failover")',
    ),
  }),
  ...rows('Events', ['api', 'worker', 'pas'], {
    EVENT_STREAM: preset(
      'point-alarm-events',
      line,
      'Redis stream of the events; in a Redis Cluster its name needs a hash tag: `{point-alarm-events}`',
    ),
  }),
  ...rows('Events', ['api', 'worker'], {
    EVENT_STREAM_MAXLEN: preset(
      '1000000',
      integer(0, 999_999_999_999),
      'Entries that the stream is trimmed to, about; 0 never trims',
    ),
    EVENT_ATTRIBUTE_PREFIX: preset('Vendor.Hierarchy', line, "Prefix of the events' two attributes"),
    BAND_THRESHOLD_NAME: preset(
      'overallAlarmThreshold',
      oneOf('name', bandThresholdNames),
      `Name that the limits of a band go by in answers and events: ${bandThresholdNames.join(', ')}; both are accepted from callers`,
    ),
  }),
  ...rows('Temporal', ['api', 'worker', 'pas with Temporal'], {
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
  }),
  ...rows('Addresses, logs, start and stop', ['api'], {
    PORT: preset('3000', port, 'Port of the API; 0 takes any free one'),
    DRAIN_MS: preset(
      '2000',
      duration(0),
      'Time in which a stopping process still takes calls while `/readyz` answers 503, so that a balancer notices',
    ),
  }),
  ...rows('Tokens and permissions', ['api'], {
    AUTH_JWKS_URL: optional(webUrl, 'Key set that signs the tokens, by URL; this or `AUTH_JWKS_FILE` is required'),
    AUTH_JWKS_FILE: optional(line, 'Key set that signs the tokens, as a file; re-read when it changes'),
    AUTH_JWKS_COOLDOWN_MS: preset(
      '5000',
      duration(100),
      'Time after a fetch of the key set in which an unknown key causes no other fetch',
    ),
    AUTH_JWKS_MAX_AGE_MS: preset(
      '86400000',
      integer(1_000, 604_800_000),
      'Validity of the last keys while their URL is unavailable; then calls get 503',
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
    AUTHORIZER_URL: optional(
      webUrl,
      'AuthZEN 1.0 policy decision point (PDP) that decides permissions, in place of `GRANTS_FILE`',
    ),
    AUTHORIZER_TOKEN: optional(token, 'Bearer token that is sent to the PDP'),
    AUTHORIZER_TIMEOUT_MS: preset(
      '2000',
      duration(1),
      'Longest time that the PDP may take, and never more than `CALL_DEADLINE_MS`; then the call gets 503',
    ),
    AUTHORIZER_CACHE_MS: preset(
      '2000',
      integer(0, 60_000),
      'Validity of a decision of the PDP, positive or negative; 0 requests one for every call',
    ),
  }),
  ...rows('Rating', ['api'], {
    BEARINGS_FILE: optional(line, 'Bearings of your own (docs/bearings.md); re-read when it changes'),
    OVERALL_REGIONS: preset(
      'literal',
      oneOf('reading', overallReadings),
      "How the regions between an overall alarm's inner and outer limit read: literal, alert-band",
    ),
  }),
  ...rows('Events', ['api'], {
    EVENT_RELAY: preset(
      'api',
      oneOf('relay', ['api', 'node']),
      'Relay of events to the stream: the API as soon as they are committed, with the node as a fallback, or the node alone: api, node',
    ),
  }),
  ...rows('Reads', ['api'], {
    READS: preset(
      'node',
      oneOf('reads', ['node', 'cache']),
      'Where reads are answered: by the node itself, or from a cache that follows the stream (docs/reliability.md): node, cache',
    ),
    CACHED_NODES: preset('10000', integer(1, 10_000_000), 'Most nodes that an API process caches with `READS=cache`'),
  }),
  ...rows('Limits of requests and connections', ['api'], {
    CALL_DEADLINE_MS: preset('10000', duration(1), 'Longest time that a call may take'),
    HEADERS_TIMEOUT_MS: preset('10000', duration(1), 'Longest time that the head of a request may take'),
    REQUEST_TIMEOUT_MS: preset('30000', duration(1), 'Longest time that a whole request may take to arrive'),
    KEEP_ALIVE_TIMEOUT_MS: preset('65000', duration(1), 'Time that an idle connection is kept'),
    SOCKET_TIMEOUT_MS: preset(
      '60000',
      duration(1),
      'Time that a connection may be silent while a call is in flight; then it is closed',
    ),
    MAX_CONNECTIONS: preset('10000', integer(1, 1_000_000), 'Most concurrent connections; further ones are closed'),
    MAX_HEADER_BYTES: preset('16384', integer(1_024, 65_536), 'Most of the head of a request'),
    MAX_HEADERS: preset('100', integer(10, 1_000), 'Most header fields of a request'),
    MAX_BODY_BYTES: preset('1048576', integer(1, 16_777_216), 'Most of a request body'),
    MAX_BODIES: preset(
      '64',
      integer(4, 16_384),
      'Bodies of `MAX_BODY_BYTES` that the calls in flight may hold in one API process; a user holds at most as much as is left for others',
    ),
    MAX_PATCH_BYTES: atMost(PATCH_BYTES, 'Most of a JSON Patch'),
    MAX_PATCH_OPERATIONS: atMost(PATCH_OPERATIONS, 'Most operations of a JSON Patch'),
    MAX_BATCH_NODES: preset('1000', integer(1, BATCH_NODES), 'Most nodes of a batch'),
    MAX_CHOICES: atMost(hardLimits.choices, 'Most choices of an inspection'),
    MAX_BANDS: atMost(hardLimits.bands, 'Most band alarms of a threshold'),
    MAX_HALS: atMost(hardLimits.hals, 'Most HAL alarms of a threshold'),
    MAX_TEXT_LENGTH: atMost(hardLimits.textLength, 'Most of a label or another text'),
    MAX_SPECTRUM_LINES: atMost(hardLimits.spectrumLines, 'Most lines of a spectrum'),
    MAX_WAITING_CALLS: preset('256', integer(1, 100_000), 'Most calls that wait for one node in one API process'),
  }),
  ...rows('Rates of users', ['api'], {
    RATE_LIMIT_PER_SECOND: preset(
      '0',
      integer(0, 1_000_000),
      'Calls per second that a user may make of one API process, on average; a batch counts as its nodes; 0 sets no limit',
    ),
    RATE_LIMIT_BURST: preset('100', integer(1, 1_000_000), 'Calls that a user may make at once after a pause'),
  }),
  ...rows('Addresses, logs, start and stop', ['worker'], {
    WORKER_PORT: preset('3001', port, "Port of the worker's health and metrics; the next free one when taken"),
  }),
  ...rows('Workers', ['worker'], {
    MAX_CACHED_WORKFLOWS: preset(
      '2000',
      integer(2, 1_000_000),
      'Most nodes kept in memory, about 200 KB each; the others are replayed when they are called',
    ),
    MAX_CONCURRENT_WORKFLOW_TASKS: preset('40', integer(2, 10_000), 'Workflow tasks at once'),
    MAX_CONCURRENT_ACTIVITIES: preset('100', some, 'Publications at once'),
    WORKFLOW_TASK_POLLERS: preset('30', integer(2, 1_000), 'Pollers for workflow tasks'),
    ACTIVITY_POLLERS: preset('10', integer(1, 1_000), 'Pollers for publications'),
    STICKY_TIMEOUT_MS: preset('3000', duration(100), 'Time that a node waits for the worker that has it in memory'),
  }),
  ...rows('Temporal', ['worker'], {
    WORKER_DEPLOYMENT: optional(
      line,
      'Worker deployment that this worker belongs to; without it nodes run on any worker',
    ),
    WORKER_BUILD_ID: optional(line, 'Version of that deployment; needs `WORKER_DEPLOYMENT`, and is needed by it'),
  }),
  ...rows('Command line', ['pas'], {
    POINT_ALARM_URL: preset('http://127.0.0.1:3000', webUrl, 'Address of the API for the command'),
    POINT_ALARM_TOKEN: optional(token, 'Token that it sends to the API; `npm run -s token` makes one for development'),
  }),
  ...rows('Command line', ['start'], {
    TEMPORAL_CLI: optional(line, 'A `temporal` command to bring Temporal up with, version 1.8 or newer'),
  }),
};

type Table = typeof table;
type Name<P extends Process> = {
  [K in keyof Table]: Table[K] extends Shared<infer Q> ? (P extends Q ? K : never) : never;
}[keyof Table];

/** The values of the settings that a process reads, by their names. */
export type Values<P extends Process> = {
  readonly [K in Name<P>]: Table[K] extends Preset<infer A>
    ? A
    : Table[K] extends Draft<infer A>
      ? A | undefined
      : never;
};
