import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import * as E from 'fp-ts/Either';
import { afterAll, describe, expect, test } from 'vitest';
import {
  apiSettings,
  cliSettings,
  workerSettings,
  type ApiSettings,
  type WorkerSettings,
} from '../../../process/settings';
import { faultList } from '../../../process/settings/or-exit';
import { envExample, settingsTables } from '../../../process/settings/settings-table';
import type { Environment } from '../../../process/settings/setting';
import { createAuthority } from '../../support/tls/certificates';

const needed: Environment = { AUTH_JWKS_FILE: 'jwks.json', GRANTS_FILE: 'grants.json' };
const folder = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const api = (env: Environment): ApiSettings => right(apiSettings({ ...needed, ...env }));
const worker = (env: Environment): WorkerSettings => right(workerSettings(env));
const right = <A>(found: E.Either<ReadonlyArray<string>, A>): A => {
  if (E.isLeft(found)) throw new Error(found.left.join('\n'));
  return found.right;
};
const faultsOf = (found: E.Either<ReadonlyArray<string>, unknown>): ReadonlyArray<string> =>
  E.isLeft(found) ? found.left : [];

describe('without more than it needs', () => {
  test('the API has its defaults', () => {
    expect(api({})).toEqual({
      http: {
        host: '127.0.0.1',
        port: 3000,
        headersTimeoutMs: 10_000,
        requestTimeoutMs: 30_000,
        keepAliveTimeoutMs: 65_000,
        socketTimeoutMs: 60_000,
        connections: 10_000,
        headerBytes: 16_384,
        headers: 100,
        bodies: 64,
      },
      temporal: {
        connection: { address: '127.0.0.1:7233' },
        namespace: 'default',
        taskQueue: 'point-alarm',
        searchAttributes: true,
      },
      redis: { url: 'redis://127.0.0.1:6379' },
      events: {
        stream: 'point-alarm-events',
        partitions: 1,
        maxLength: 1_000_000,
        attributePrefix: 'Vendor.Hierarchy',
        bandThresholdName: 'overallAlarmThreshold',
        replicasRequired: 0,
      },
      relaysEvents: true,
      limits: {
        bodyBytes: 1_048_576,
        patchBytes: 65_536,
        patchOperations: 100,
        batchNodes: 1_000,
        waitingCalls: 256,
        choices: 100,
        bands: 100,
        hals: 100,
        textLength: 1_024,
        spectrumLines: 25_600,
      },
      auth: { jwks: { file: 'jwks.json' }, userClaim: 'sub', requireExpiry: true },
      grants: { file: 'grants.json' },
      rate: { perSecond: 0, burst: 100 },
      overallRegions: 'literal',
      callDeadlineMs: 10_000,
      shutdownDeadlineMs: 10_000,
      drainMs: 2_000,
      logLevel: 'info',
    });
  });

  test('the worker has its defaults', () => {
    expect(worker({})).toEqual({
      http: { host: '127.0.0.1', port: 3001 },
      temporal: {
        connection: { address: '127.0.0.1:7233' },
        namespace: 'default',
        taskQueue: 'point-alarm',
        searchAttributes: true,
      },
      redis: { url: 'redis://127.0.0.1:6379' },
      events: {
        stream: 'point-alarm-events',
        partitions: 1,
        maxLength: 1_000_000,
        attributePrefix: 'Vendor.Hierarchy',
        bandThresholdName: 'overallAlarmThreshold',
        replicasRequired: 0,
      },
      capacity: {
        cachedWorkflows: 2_000,
        workflowTasks: 40,
        activities: 100,
        workflowTaskPollers: 30,
        activityPollers: 10,
        stickyTimeoutMs: 3_000,
      },
      shutdownDeadlineMs: 10_000,
      logLevel: 'info',
    });
  });

  test('an empty value counts as not set, and what nobody knows is passed over', () => {
    expect(api({ PORT: '', AUTH_JWKS_URL: '', TEMPORAL_ADDRESS: '', TEMPORAL_API_KEY: '', COLOUR: 'blue' })).toEqual(
      api({}),
    );
  });

  test('each process looks at its own settings alone', () => {
    expect(E.isRight(workerSettings({ PORT: 'x', MAX_BANDS: 'x' }))).toBe(true);
    expect(E.isRight(apiSettings({ ...needed, WORKER_PORT: 'x', ACTIVITY_POLLERS: 'x' }))).toBe(true);
  });
});

describe('a value', () => {
  const read: ReadonlyArray<readonly [string, string, (settings: ApiSettings) => unknown, unknown]> = [
    ['HOST', '::1', ({ http }) => http.host, '::1'],
    ['PORT', '0', ({ http }) => http.port, 0],
    ['PORT', '65535', ({ http }) => http.port, 65_535],
    ['HEADERS_TIMEOUT_MS', '5', ({ http }) => http.headersTimeoutMs, 5],
    ['REQUEST_TIMEOUT_MS', '10000', ({ http }) => http.requestTimeoutMs, 10_000],
    ['KEEP_ALIVE_TIMEOUT_MS', '1', ({ http }) => http.keepAliveTimeoutMs, 1],
    ['SOCKET_TIMEOUT_MS', '10001', ({ http }) => http.socketTimeoutMs, 10_001],
    ['MAX_CONNECTIONS', '1', ({ http }) => http.connections, 1],
    ['MAX_HEADER_BYTES', '65536', ({ http }) => http.headerBytes, 65_536],
    ['RATE_LIMIT_PER_SECOND', '5', ({ rate }) => rate.perSecond, 5],
    ['RATE_LIMIT_BURST', '1', ({ rate }) => rate.burst, 1],
    ['MAX_HEADERS', '10', ({ http }) => http.headers, 10],
    [
      'REDIS_URL',
      'rediss://ada:p%40ss@redis.example:6380/2',
      ({ redis }) => redis.url,
      'rediss://ada:p%40ss@redis.example:6380/2',
    ],
    ['LOG_LEVEL', 'debug', ({ logLevel }) => logLevel, 'debug'],
    ['OVERALL_REGIONS', 'alert-band', ({ overallRegions }) => overallRegions, 'alert-band'],
    ['CALL_DEADLINE_MS', '1', ({ callDeadlineMs }) => callDeadlineMs, 1],
    ['SHUTDOWN_DEADLINE_MS', '2001', ({ shutdownDeadlineMs }) => shutdownDeadlineMs, 2_001],
    ['EVENT_RELAY', 'node', ({ relaysEvents }) => relaysEvents, false],
    ['REDIS_REPLICAS_REQUIRED', '2', ({ events }) => events.replicasRequired, 2],
    ['EVENT_STREAM_PARTITIONS', '6', ({ events }) => events.partitions, 6],
    ['EVENT_STREAM', 'alarms', ({ events }) => events.stream, 'alarms'],
    ['READS', 'cache', ({ cachedNodes }) => cachedNodes, 10_000],
    ['READS', 'node', ({ cachedNodes }) => cachedNodes, undefined],
    ['DRAIN_MS', '0', ({ drainMs }) => drainMs, 0],
    ['HIERARCHY_FILE', 'nodes.json', ({ hierarchyFile }) => hierarchyFile, 'nodes.json'],
    ['AUTH_ISSUER', 'us', ({ auth }) => auth.issuer, 'us'],
    ['AUTH_AUDIENCE', 'here', ({ auth }) => auth.audience, 'here'],
    ['AUTH_REQUIRE_EXP', 'false', ({ auth }) => auth.requireExpiry, false],
    ['AUTH_REQUIRE_EXP', 'true', ({ auth }) => auth.requireExpiry, true],
    ['AUTH_REQUIRE_EXP', '', ({ auth }) => auth.requireExpiry, true],
    ['AUTH_USER_CLAIM', 'oid', ({ auth }) => auth.userClaim, 'oid'],
    ['MAX_BODY_BYTES', '2097152', ({ limits }) => limits.bodyBytes, 2_097_152],
    ['MAX_PATCH_BYTES', '1', ({ limits }) => limits.patchBytes, 1],
    ['MAX_PATCH_OPERATIONS', '2', ({ limits }) => limits.patchOperations, 2],
    ['MAX_BATCH_NODES', '2000', ({ limits }) => limits.batchNodes, 2_000],
    ['MAX_CHOICES', '3', ({ limits }) => limits.choices, 3],
    ['MAX_BANDS', '4', ({ limits }) => limits.bands, 4],
    ['MAX_HALS', '5', ({ limits }) => limits.hals, 5],
    ['MAX_TEXT_LENGTH', '6', ({ limits }) => limits.textLength, 6],
    ['MAX_SPECTRUM_LINES', '7', ({ limits }) => limits.spectrumLines, 7],
    ['MAX_WAITING_CALLS', '8', ({ limits }) => limits.waitingCalls, 8],
    ['TEMPORAL_TASK_QUEUE', 'q', ({ temporal }) => temporal.taskQueue, 'q'],
    ['TEMPORAL_SEARCH_ATTRIBUTES', 'off', ({ temporal }) => temporal.searchAttributes, false],
    [
      'TEMPORAL_ADDRESS',
      'temporal.example:7233',
      ({ temporal }) => temporal.connection.address,
      'temporal.example:7233',
    ],
    ['TEMPORAL_ADDRESS', '[::1]:7233', ({ temporal }) => temporal.connection.address, '[::1]:7233'],
    ['TEMPORAL_NAMESPACE', 'alarms', ({ temporal }) => temporal.namespace, 'alarms'],
    ['TEMPORAL_API_KEY', 'key', ({ temporal: { connection } }) => [connection.apiKey, connection.tls], ['key', true]],
    ['TEMPORAL_GRPC_META_TEAM', 'x', ({ temporal }) => temporal.connection.metadata, { team: 'x' }],
  ];
  test.each(read)('%s=%s is read', (name, text, pick, expected) => {
    expect(pick(api({ [name]: text }))).toEqual(expected);
  });

  const readByWorker: ReadonlyArray<readonly [string, string, (settings: WorkerSettings) => unknown, unknown]> = [
    ['WORKER_PORT', '0', ({ http }) => http.port, 0],
    ['EVENT_STREAM', 'alarms{1}', ({ events }) => events.stream, 'alarms{1}'],
    ['EVENT_STREAM_MAXLEN', '0', ({ events }) => events.maxLength, 0],
    ['EVENT_ATTRIBUTE_PREFIX', 'Acme', ({ events }) => events.attributePrefix, 'Acme'],
    ['BAND_THRESHOLD_NAME', 'overallThreshold', ({ events }) => events.bandThresholdName, 'overallThreshold'],
    ['MAX_CACHED_WORKFLOWS', '100', ({ capacity }) => capacity.cachedWorkflows, 100],
    ['MAX_CONCURRENT_WORKFLOW_TASKS', '2000', ({ capacity }) => capacity.workflowTasks, 2_000],
    ['MAX_CONCURRENT_ACTIVITIES', '1', ({ capacity }) => capacity.activities, 1],
    ['WORKFLOW_TASK_POLLERS', '2', ({ capacity }) => capacity.workflowTaskPollers, 2],
    ['ACTIVITY_POLLERS', '1', ({ capacity }) => capacity.activityPollers, 1],
    ['STICKY_TIMEOUT_MS', '100', ({ capacity }) => capacity.stickyTimeoutMs, 100],
  ];
  test.each(readByWorker)('%s=%s is read by the worker', (name, text, pick, expected) => {
    expect(pick(worker({ [name]: text }))).toEqual(expected);
  });

  const refused: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ['PORT', ['abc', '-1', '65536', '3000.5', '0x10', ' 3000', '1e3', '٣'], 'must be an integer from 0 to 65535'],
    ['MAX_BANDS', ['0', '101', '99999999999999999999'], 'must be an integer from 1 to 100'],
    ['MAX_PATCH_BYTES', ['65537'], 'must be an integer from 1 to 65536'],
    ['MAX_SPECTRUM_LINES', ['25601'], 'must be an integer from 1 to 25600'],
    ['MAX_TEXT_LENGTH', ['1025'], 'must be an integer from 1 to 1024'],
    ['LOG_LEVEL', ['loud', 'INFO'], 'must be one of trace, debug, info, warn, error, fatal, silent'],
    ['OVERALL_REGIONS', ['other'], 'must be one of literal, alert-band'],
    ['READS', ['disk'], 'must be one of node, cache'],
    ['TEMPORAL_SEARCH_ATTRIBUTES', ['true'], 'must be on or off'],
    ['AUTH_REQUIRE_EXP', ['off', '0', 'False', 'no'], 'must be true or false'],
    ['TEMPORAL_TLS', ['yes', 'TRUE'], 'must be one of true, false, 1, 0'],
    ['TEMPORAL_ADDRESS', ['a b', 'http://x:1/', 'user@x:1'], 'must be an address such as 127.0.0.1:7233'],
    ['HOST', ['a\nb'], 'must be one line of at most 1024 printable characters'],
    [
      'REDIS_URL',
      ['127.0.0.1:6379', 'http://x', 'redis://', 'redis://x/db', 'redis://a:%zz@x', 'redis://%zz'],
      'must be a Redis URL such as redis://127.0.0.1:6379',
    ],
  ];
  test.each(refused.flatMap(([name, texts, reason]) => texts.map((text) => [name, text, reason] as const)))(
    '%s=%j is refused',
    (name, text, reason) => {
      expect(faultsOf(apiSettings({ ...needed, [name]: text }))).toEqual([`${name} ${reason}`]);
    },
  );
});

describe('faults', () => {
  test('are all reported at once', () => {
    const env = { PORT: 'x', MAX_HALS: '101', TEMPORAL_TLS: 'x', TEMPORAL_TLS_CLIENT_KEY_DATA: 'x' };
    expect(faultsOf(apiSettings(env))).toEqual([
      'TEMPORAL_TLS must be one of true, false, 1, 0',
      'PORT must be an integer from 0 to 65535',
      'MAX_HALS must be an integer from 1 to 100',
      'TEMPORAL_TLS_CLIENT_CERT_PATH (or _DATA) and TEMPORAL_TLS_CLIENT_KEY_PATH (or _DATA) need each other',
      'AUTH_JWKS_URL or AUTH_JWKS_FILE is required: the keys that sign the tokens',
      'GRANTS_FILE or AUTHORIZER_URL is required: the source of permissions',
    ]);
  });

  test('of rules across settings come with the others', () => {
    const api = {
      PORT: 'x',
      HEADERS_TIMEOUT_MS: '30001',
      SOCKET_TIMEOUT_MS: '10000',
      DRAIN_MS: '10000',
    };
    expect(faultsOf(apiSettings({ ...needed, ...api }))).toEqual([
      'PORT must be an integer from 0 to 65535',
      'HEADERS_TIMEOUT_MS must be at most REQUEST_TIMEOUT_MS',
      'CALL_DEADLINE_MS must be less than SOCKET_TIMEOUT_MS',
      'DRAIN_MS must be less than SHUTDOWN_DEADLINE_MS',
    ]);
    const ofWorker = { WORKER_PORT: 'x', MAX_CACHED_WORKFLOWS: '30', WORKER_BUILD_ID: '1' };
    expect(faultsOf(workerSettings(ofWorker))).toEqual([
      'WORKER_PORT must be an integer from 0 to 65535',
      'MAX_CONCURRENT_WORKFLOW_TASKS must be at most MAX_CACHED_WORKFLOWS',
      'WORKER_DEPLOYMENT and WORKER_BUILD_ID need each other',
    ]);
  });

  test('of a rule across settings need both of them to be right', () => {
    expect(faultsOf(apiSettings({ ...needed, HEADERS_TIMEOUT_MS: '30001', REQUEST_TIMEOUT_MS: 'x' }))).toEqual([
      'REQUEST_TIMEOUT_MS must be an integer from 1 to 3600000',
    ]);
  });

  test.each([
    ['PUSH_EVENTS', 'PUSH_EVENTS is now EVENT_RELAY (`on` is api, `off` is node)'],
    ['MEMORY_NODES', 'MEMORY_NODES is now CACHED_NODES'],
    ['MAX_BODIES_BYTES', 'MAX_BODIES_BYTES is now MAX_BODIES (a number of bodies of `MAX_BODY_BYTES`)'],
    ['ERRORS_PER_SECOND', 'ERRORS_PER_SECOND is now no setting (docs/admission.md)'],
  ])('a setting by its old name, %s, is refused with the new one', (name, fault) => {
    expect(faultsOf(apiSettings({ ...needed, [name]: '1' }))).toEqual([fault]);
    expect(faultsOf(apiSettings({ ...needed, [name]: '' }))).toEqual([]);
  });

  test.each<readonly [string, Environment, string]>([
    ['two key sets', { AUTH_JWKS_URL: 'https://x/' }, 'AUTH_JWKS_URL and AUTH_JWKS_FILE exclude each other'],
    [
      'a decision point beside grants',
      { AUTHORIZER_URL: 'https://x/' },
      'GRANTS_FILE and AUTHORIZER_URL exclude each other',
    ],
    [
      'sockets that are cut off before the deadline of a call',
      { SOCKET_TIMEOUT_MS: '10000' },
      'CALL_DEADLINE_MS must be less than SOCKET_TIMEOUT_MS',
    ],
    [
      'heads slower than requests',
      { HEADERS_TIMEOUT_MS: '30001' },
      'HEADERS_TIMEOUT_MS must be at most REQUEST_TIMEOUT_MS',
    ],
    [
      'a certificate that is not there',
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(folder, 'none') },
      `TEMPORAL_TLS_SERVER_CA_CERT_PATH: ENOENT: no such file or directory, open '${join(folder, 'none')}'`,
    ],
    ['an unknown profile', { TEMPORAL_PROFILE: 'moon' }, "TEMPORAL_*: Profile 'moon' not found in config data"],
  ])('name %s', (_, env, fault) => {
    expect(faultsOf(apiSettings({ ...needed, ...env }))).toEqual([fault]);
  });

  test('name no decision point that is well set', () => {
    const env = {
      AUTH_JWKS_FILE: 'j',
      AUTHORIZER_URL: 'https://pdp/',
      AUTHORIZER_TOKEN: 't',
      CALL_DEADLINE_MS: '1500',
    };
    expect(right(apiSettings(env)).grants).toEqual({
      authorizer: { url: 'https://pdp/', token: 't', timeoutMs: 1_500, cacheMs: 2_000 },
    });
  });

  test.each([
    ['AUTHORIZER_URL', 'pdp:8080', 'must be an http or https URL without a user name or password'],
    ['AUTHORIZER_URL', 'http://ada:geheim@pdp/', 'must be an http or https URL without a user name or password'],
    ['AUTHORIZER_TOKEN', 'a b', 'must be a token: printable ASCII without spaces'],
    ['AUTHORIZER_TIMEOUT_MS', '0', 'must be an integer from 1 to 3600000'],
    ['AUTHORIZER_CACHE_MS', '60001', 'must be an integer from 0 to 60000'],
  ])('name %s=%s of a decision point', (name, text, reason) => {
    const env = { AUTH_JWKS_FILE: 'j', AUTHORIZER_URL: 'https://pdp/', [name]: text };
    expect(faultsOf(apiSettings(env))).toEqual([`${name} ${reason}`]);
  });

  test.each(['ftp://x/jwks', 'jwks.json', 'https://ada:geheim@x/jwks'])('name the key set URL %s', (url) => {
    expect(faultsOf(apiSettings({ GRANTS_FILE: 'g', AUTH_JWKS_URL: url }))).toEqual([
      'AUTH_JWKS_URL must be an http or https URL without a user name or password',
    ]);
  });

  test('name more workflow tasks than cached workflows', () => {
    expect(faultsOf(workerSettings({ MAX_CACHED_WORKFLOWS: '30' }))).toEqual([
      'MAX_CONCURRENT_WORKFLOW_TASKS must be at most MAX_CACHED_WORKFLOWS',
    ]);
  });

  test('hold no secret, of a value or of a profile file', () => {
    const broken = fileOf('broken.toml', '[profile.default]\naddress = "x:1"\napi_key = "geheim\n');
    const env = {
      REDIS_URL: 'redis://ada:geheim@x/geheim',
      AUTH_JWKS_URL: 'https://ada:geheim@x/',
      TEMPORAL_API_KEY: 'geheim',
      AUTHORIZER_TOKEN: 'geheim\n',
      TEMPORAL_CONFIG_FILE: broken,
    };
    const faults = faultsOf(apiSettings(env)).join('\n');
    expect(faults).toContain('REDIS_URL');
    expect(faults).toContain('TEMPORAL_*: Invalid TOML document');
    expect(faults).not.toContain('geheim');
  });

  test('are one readable list', () => {
    expect(faultList('API', ['PORT is wrong', 'HOST is too'])).toBe(
      'The API cannot start:\n  - PORT is wrong\n  - HOST is too\n',
    );
  });
});

describe('certificates', () => {
  const [ours, other] = [createAuthority('ours').issue('x'), createAuthority('other').issue('x')];
  const cert = fileOf('cert.pem', ours.cert);
  const key = fileOf('key.pem', ours.key);
  const otherKey = fileOf('other.key', other.key);
  const rubbish = fileOf('rubbish.pem', 'geheim');
  const secure = { REDIS_URL: 'rediss://x' };

  test('for Redis are read', () => {
    const env = {
      REDIS_TLS_SERVER_CA_CERT_PATH: cert,
      REDIS_TLS_CLIENT_CERT_PATH: cert,
      REDIS_TLS_CLIENT_KEY_PATH: key,
    };
    const redis = { url: 'rediss://x', tls: { ca: ours.cert, cert: ours.cert, key: ours.key } };
    expect([api({ ...secure, ...env }).redis, worker({ ...secure, ...env }).redis]).toEqual([redis, redis]);
    expect(right(cliSettings({ ...secure, ...env })).redis).toEqual(redis);
    expect(api(secure).redis).toEqual({ url: 'rediss://x' });
  });

  test('names the sentinels and what they call the primary, for each process and the command', () => {
    const env = { REDIS_SENTINELS: 'a:1,b:2', REDIS_SENTINEL_MASTER: 'main', REDIS_SENTINEL_PASSWORD: 'secret' };
    const addresses = [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ];
    const redis = { url: 'redis://127.0.0.1:6379', sentinels: { addresses, master: 'main', password: 'secret' } };
    expect([api(env).redis, worker(env).redis, right(cliSettings(env)).redis]).toEqual([redis, redis, redis]);
  });

  test.each(['a', 'a:0', 'a:65536', 'a:1,', 'a:1;b:2', '::1:1'])('takes %j for no list of servers', (text) => {
    const env = { REDIS_SENTINELS: text, REDIS_SENTINEL_MASTER: 'main' };
    const fault = 'REDIS_SENTINELS must be a list such as 10.0.0.1:26379,10.0.0.2:26379';
    expect(faultsOf(workerSettings(env))).toEqual([fault]);
  });

  test('names the nodes of a cluster, for a stream whose keys lie together', () => {
    const nodes = { REDIS_CLUSTER_NODES: 'redis-1:6379, [::1]:6380' };
    const clusterNodes = [
      { host: 'redis-1', port: 6379 },
      { host: '::1', port: 6380 },
    ];
    for (const more of [{ EVENT_STREAM_PARTITIONS: '3' }, { EVENT_STREAM: '{alarms}' }])
      expect(api({ ...nodes, ...more }).redis).toEqual({ url: 'redis://127.0.0.1:6379', clusterNodes });
  });

  test.each<readonly [string, Environment, string]>([
    ['sentinels alone', { REDIS_SENTINELS: 'a:1' }, 'REDIS_SENTINELS and REDIS_SENTINEL_MASTER need each other'],
    [
      'a hash tag of the stream beside those of its partitions',
      { EVENT_STREAM: '{a}', EVENT_STREAM_PARTITIONS: '2' },
      'EVENT_STREAM must have no hash tag where EVENT_STREAM_PARTITIONS gives each its own',
    ],
    [
      'a stream in a cluster whose keys may lie apart',
      { REDIS_CLUSTER_NODES: 'a:1' },
      'REDIS_CLUSTER_NODES needs EVENT_STREAM_PARTITIONS above 1, or a hash tag in EVENT_STREAM: {point-alarm-events}',
    ],
    ['their name alone', { REDIS_SENTINEL_MASTER: 'm' }, 'REDIS_SENTINELS and REDIS_SENTINEL_MASTER need each other'],
    ['their password alone', { REDIS_SENTINEL_PASSWORD: 'x' }, 'REDIS_SENTINEL_PASSWORD needs REDIS_SENTINELS'],
    [
      'a cluster as well',
      { REDIS_SENTINELS: 'a:1', REDIS_SENTINEL_MASTER: 'm', REDIS_CLUSTER_NODES: 'b:1', EVENT_STREAM: '{a}' },
      'REDIS_SENTINELS and REDIS_CLUSTER_NODES exclude each other',
    ],
  ])('refuses %s', (_name, env, fault) => {
    expect(faultsOf(apiSettings({ ...needed, ...env }))).toEqual([fault]);
    expect(faultsOf(workerSettings(env))).toEqual([fault]);
    expect(faultsOf(cliSettings(env))).toEqual([fault]);
  });

  const AUTHORITY = 'REDIS_TLS_SERVER_CA_CERT_PATH';
  const BOTH = 'REDIS_TLS_CLIENT_CERT_PATH and REDIS_TLS_CLIENT_KEY_PATH need each other';
  const none = join(folder, 'none.pem');
  test.each<readonly [string, Environment, ReadonlyArray<string>]>([
    ['a certificate alone', { REDIS_TLS_CLIENT_CERT_PATH: cert }, [BOTH]],
    ['a key alone', { REDIS_TLS_CLIENT_KEY_PATH: key }, [BOTH]],
    [
      'files that are not there',
      { [AUTHORITY]: none, REDIS_TLS_CLIENT_KEY_PATH: none },
      [
        `${AUTHORITY}: ENOENT: no such file or directory, open '${none}'`,
        `REDIS_TLS_CLIENT_KEY_PATH: ENOENT: no such file or directory, open '${none}'`,
        BOTH,
      ],
    ],
    [
      'files that hold something else',
      { [AUTHORITY]: key, REDIS_TLS_CLIENT_CERT_PATH: rubbish, REDIS_TLS_CLIENT_KEY_PATH: rubbish },
      [
        `${AUTHORITY} must hold a certificate in PEM`,
        'REDIS_TLS_CLIENT_CERT_PATH must hold a certificate in PEM',
        'REDIS_TLS_CLIENT_KEY_PATH must hold a private key in PEM, without a passphrase',
      ],
    ],
    [
      'the key of another certificate',
      { REDIS_TLS_CLIENT_CERT_PATH: cert, REDIS_TLS_CLIENT_KEY_PATH: otherKey },
      ['REDIS_TLS_CLIENT_KEY_PATH must hold the key of REDIS_TLS_CLIENT_CERT_PATH'],
    ],
    [
      'a connection without TLS',
      { REDIS_URL: 'redis://x', [AUTHORITY]: cert },
      [`${AUTHORITY} needs a REDIS_URL that begins with rediss://`],
    ],
    ['no URL', { REDIS_URL: '', [AUTHORITY]: cert }, [`${AUTHORITY} needs a REDIS_URL that begins with rediss://`]],
  ])('for Redis are refused: %s', (_, env, faults) => {
    expect(faultsOf(workerSettings({ ...secure, ...env }))).toEqual(faults);
    expect(faultsOf(apiSettings({ ...needed, ...secure, ...env }))).toEqual(faults);
    expect(faultsOf(cliSettings({ ...secure, ...env }))).toEqual(faults);
  });

  test.each<readonly [string, Environment, string]>([
    [
      'an authority that is none',
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: rubbish },
      'TEMPORAL_TLS_SERVER_CA_CERT_PATH (or _DATA) must hold a certificate in PEM',
    ],
    [
      'a key that is none',
      { TEMPORAL_TLS_CLIENT_CERT_DATA: ours.cert, TEMPORAL_TLS_CLIENT_KEY_DATA: 'geheim' },
      'TEMPORAL_TLS_CLIENT_KEY_PATH (or _DATA) must hold a private key in PEM, without a passphrase',
    ],
    [
      'the key of another certificate',
      { TEMPORAL_TLS_CLIENT_CERT_PATH: cert, TEMPORAL_TLS_CLIENT_KEY_PATH: otherKey },
      'TEMPORAL_TLS_CLIENT_KEY_PATH (or _DATA) must hold the key of TEMPORAL_TLS_CLIENT_CERT_PATH (or _DATA)',
    ],
  ])('for Temporal are refused: %s', (_, env, fault) => {
    expect(faultsOf(workerSettings(env))).toEqual([fault]);
  });

  const [NEED_EACH_OTHER, NO_AUTHORITY] = [
    'TEMPORAL_TLS_CLIENT_CERT_PATH (or _DATA) and TEMPORAL_TLS_CLIENT_KEY_PATH (or _DATA) need each other',
    'TEMPORAL_TLS_SERVER_CA_CERT_PATH (or _DATA) must hold a certificate in PEM',
  ];
  test.each<readonly [string, Environment, ReadonlyArray<string>]>([
    [
      'two files that are not there, and one that holds something else',
      {
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: rubbish,
        TEMPORAL_TLS_CLIENT_CERT_PATH: none,
        TEMPORAL_TLS_CLIENT_KEY_PATH: none,
      },
      [
        `TEMPORAL_TLS_CLIENT_CERT_PATH: ENOENT: no such file or directory, open '${none}'`,
        `TEMPORAL_TLS_CLIENT_KEY_PATH: ENOENT: no such file or directory, open '${none}'`,
        NO_AUTHORITY,
      ],
    ],
    [
      'a key without its certificate, and an authority that is none',
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: rubbish, TEMPORAL_TLS_CLIENT_KEY_PATH: key },
      [NEED_EACH_OTHER, NO_AUTHORITY],
    ],
  ])('for Temporal are refused together: %s', (_, env, faults) => {
    expect(faultsOf(workerSettings(env))).toEqual(faults);
  });
});

describe('keys of payloads', () => {
  const [one, two] = ['a'.repeat(32), 'b'.repeat(32)].map((bytes) => Buffer.from(bytes).toString('base64'));
  const read = (text: string) => {
    const { payloadKeys } = api({ PAYLOAD_KEY: text }).temporal;
    return [payloadKeys?.encrypts?.id, payloadKeys?.decrypt.map(({ id, key }) => [id, key.export().toString()])];
  };

  test('are read by both processes: the first encrypts, unless none does', () => {
    expect(read(`k1:${one},k2:${two}`)).toEqual([
      'k1',
      [
        ['k1', 'a'.repeat(32)],
        ['k2', 'b'.repeat(32)],
      ],
    ]);
    expect(read(`none,k.1_x-Y:${one}`)).toEqual([undefined, [['k.1_x-Y', 'a'.repeat(32)]]]);
    expect(worker({ PAYLOAD_KEY: `k1:${one}` }).temporal.payloadKeys?.encrypts?.id).toBe('k1');
    expect(api({ PAYLOAD_KEY: '' }).temporal).not.toHaveProperty('payloadKeys');
  });

  test('show no bytes where settings are printed', () => {
    const { temporal } = api({ PAYLOAD_KEY: `k1:${one}` });
    for (const shown of [JSON.stringify(temporal), inspect(temporal, { depth: 9, showHidden: true })]) {
      expect(shown).not.toMatch(/YWFh|aaaa|61, ?61|97, ?97/u);
    }
  });

  test.each([
    'geheim',
    `${one}`,
    `:${one}`,
    `k 1:${one}`,
    `k1:${one},`,
    `k1:${one},k1:${two}`,
    `k1:${one};k2:${two}`,
    `k1:${one},none`,
    'none',
    `k1:${Buffer.alloc(31).toString('base64')}`,
    `k1:${Buffer.alloc(33).toString('base64')}`,
    `k1:${one?.replace('=', '')}`,
    `k1:${one?.replace('E=', 'F=')}`,
  ])('are refused as %s, without being quoted', (text) => {
    const faults = ['PAYLOAD_KEY must be keys with commas between, each as id:32 bytes in base64, no id twice'];
    expect(faultsOf(apiSettings({ ...needed, PAYLOAD_KEY: text }))).toEqual(faults);
    expect(faultsOf(workerSettings({ PAYLOAD_KEY: text }))).toEqual(faults);
  });
});

describe('the profile file of Temporal', () => {
  const config = fileOf(
    'temporal.toml',
    '[profile.default]\naddress = "cloud.example:7233"\nnamespace = "n"\n[profile.other]\naddress = "other.example:1"\napi_key = "k"\n',
  );

  test('gives the connection', () => {
    const { temporal } = worker({ TEMPORAL_CONFIG_FILE: config });
    expect([temporal.connection.address, temporal.namespace]).toEqual(['cloud.example:7233', 'n']);
  });

  test('gives way to the environment', () => {
    const { temporal } = worker({ TEMPORAL_CONFIG_FILE: config, TEMPORAL_ADDRESS: 'x:1' });
    expect([temporal.connection.address, temporal.namespace]).toEqual(['x:1', 'n']);
  });

  test('has several profiles', () => {
    const { temporal } = worker({ TEMPORAL_CONFIG_FILE: config, TEMPORAL_PROFILE: 'other' });
    expect(temporal).toMatchObject({
      connection: { address: 'other.example:1', apiKey: 'k', tls: true },
      namespace: 'default',
    });
  });

  test('may be left out', () => {
    expect(worker({ TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') }).temporal.connection.address).toBe(
      '127.0.0.1:7233',
    );
  });
});

describe('the documents', () => {
  test('.env.example lists every setting as it is now', () => {
    expect(readFileSync(join(__dirname, '../../../.env.example'), 'utf8')).toBe(envExample());
  });

  test('the table has a row for every setting, with its default', () => {
    const rows = settingsTables().split('\n');
    expect(rows).toContain('| `PORT` | API | `3000` | Port of the API; 0 takes any free one |');
    expect(rows.every((row) => !row.startsWith('|') || row.split('|').length === 6)).toBe(true);
  });

  test('the defaults of the table are the defaults that hold', () => {
    const presets = Object.fromEntries(
      envExample()
        .split('\n')
        .flatMap((row) => (/^#[A-Z_]+=./u.test(row) ? [row.slice(1).split(/=(.*)/su).slice(0, 2)] : [])),
    );
    expect(api(presets)).toEqual(api({}));
    expect(worker(presets)).toEqual(worker({}));
  });
});
