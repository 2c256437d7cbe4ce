import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import {
  apiSettings,
  cliSettings,
  faultList,
  workerSettings,
  type ApiSettings,
  type Environment,
  type WorkerSettings,
} from '../../../process/settings';
import { envExample } from '../../../process/settings/documents';
import { rightOf } from '../../support/either';
import { folderOfFile } from '../../support/temporary-folder';
import { createAuthority } from '../../support/tls/certificates';

const needed: Environment = { AUTH_JWKS_FILE: 'jwks.json', GRANTS_FILE: 'grants.json' };
const folder = folderOfFile();
const fileOf = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const none = join(folder, 'none.pem');
const notThere = `ENOENT: no such file or directory, open '${none}'`;
const TEMPORAL_AUTHORITY = 'TEMPORAL_TLS_SERVER_CA_CERT_PATH';

const api = (env: Environment): ApiSettings => rightOf(apiSettings({ ...needed, ...env }));
const worker = (env: Environment): WorkerSettings => rightOf(workerSettings(env));
const faultsOf = (found: E.Either<ReadonlyArray<string>, unknown>): ReadonlyArray<string> =>
  E.isLeft(found) ? found.left : [];

describe('without more than it needs', () => {
  test('a process reaches the servers of its own machine, unencrypted', () => {
    const own = { namespace: 'default', taskQueue: 'point-alarm', searchAttributes: true };
    const temporal = { connection: { address: '127.0.0.1:7233' }, ...own };
    const servers = { redis: { url: 'redis://127.0.0.1:6379' }, temporal };
    expect([api({}), worker({})]).toMatchObject([servers, servers]);
    expect(api({ PAYLOAD_KEY: '' }).temporal.payloadKeys).toBeUndefined();
  });

  test('an empty value counts as not set, and what nobody knows is passed over', () => {
    const empty = { PORT: '', AUTH_JWKS_URL: '', TEMPORAL_ADDRESS: '', TEMPORAL_API_KEY: '', AUTH_REQUIRE_EXP: '' };
    expect(api({ ...empty, COLOUR: 'blue' })).toEqual(api({}));
  });

  test('each process looks at its own settings alone', () => {
    expect(E.isRight(workerSettings({ PORT: 'x', MAX_BANDS: 'x' }))).toBe(true);
    expect(E.isRight(apiSettings({ ...needed, WORKER_PORT: 'x', ACTIVITY_POLLERS: 'x' }))).toBe(true);
    expect(E.isRight(cliSettings({ PORT: 'x', TEMPORAL_TLS: 'x', REDIS_REPLICAS_REQUIRED: 'x' }))).toBe(true);
  });
});

describe('a value', () => {
  test.each([
    ['HOST', '::1', '::1'],
    ['PORT', '0', 0],
    ['PORT', '65535', 65_535],
    ['REQUEST_TIMEOUT_MS', '10000', 10_000],
    ['SOCKET_TIMEOUT_MS', '10001', 10_001],
    ['OVERALL_REGIONS', 'alert-band', 'alert-band'],
    ['EVENT_STREAM_MAXLEN', '0', 0],
    ['AUTH_ISSUER', 'us', 'us'],
    ['AUTH_REQUIRE_EXP', 'false', false],
    ['AUTH_REQUIRE_EXP', 'true', true],
  ])('%s=%s is read', (name, text, expected) => expect({ ...api({ [name]: text }) }).toHaveProperty(name, expected));

  test.each<readonly [string, string, (settings: Pick<ApiSettings, 'redis' | 'temporal'>) => unknown, unknown]>([
    ['REDIS_URL', 'rediss://x:1/2', ({ redis }) => redis.url, 'rediss://x:1/2'],
    ['TEMPORAL_TASK_QUEUE', 'q', ({ temporal }) => temporal.taskQueue, 'q'],
    ['TEMPORAL_SEARCH_ATTRIBUTES', 'off', ({ temporal }) => temporal.searchAttributes, false],
    ['TEMPORAL_ADDRESS', 'temporal.example:1', ({ temporal }) => temporal.connection.address, 'temporal.example:1'],
    ['TEMPORAL_NAMESPACE', 'alarms', ({ temporal }) => temporal.namespace, 'alarms'],
    ['TEMPORAL_API_KEY', 'key', ({ temporal: { connection } }) => [connection.apiKey, connection.tls], ['key', true]],
    ['TEMPORAL_GRPC_META_TEAM', 'x', ({ temporal }) => temporal.connection.metadata, { team: 'x' }],
  ])('%s=%s reaches the connection of each process', (name, text, pick, expected) => {
    expect([pick(api({ [name]: text })), pick(worker({ [name]: text }))]).toEqual([expected, expected]);
  });

  const notPlain = 'must be an http or https URL without a user name or password';
  const noRedis = 'must be a Redis URL such as redis://127.0.0.1:6379';
  const noList = 'must be a list such as 10.0.0.1:26379,10.0.0.2:26379';
  const refused: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ['AUTHORIZER_URL', ['pdp:8080', 'http://ada:geheim@pdp/'], notPlain],
    ['AUTH_JWKS_URL', ['ftp://x/jwks', 'jwks.json', 'https://ada:geheim@x/jwks'], notPlain],
    ['AUTHORIZER_TOKEN', ['a b'], 'must be a token: printable ASCII without spaces'],
    ['AUTHORIZER_TIMEOUT_MS', ['0'], 'must be an integer from 1 to 3600000'],
    ['AUTHORIZER_CACHE_MS', ['60001'], 'must be an integer from 0 to 60000'],
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
      ['127.0.0.1:6379', 'http://x', 'redis://x/db', 'redis://a:%zz@x', 'redis://%zz', 'redis://'],
      noRedis,
    ],
    ['REDIS_SENTINELS', ['a', 'a:0', 'a:65536', 'a:1,', 'a:1;b:2', '::1:1'], noList],
  ];
  const inPlaceOf: Readonly<Record<string, Environment>> = {
    AUTHORIZER_URL: { GRANTS_FILE: '' },
    AUTH_JWKS_URL: { AUTH_JWKS_FILE: '' },
    REDIS_SENTINELS: { REDIS_SENTINEL_MASTER: 'main' },
  };
  test.each(refused.flatMap(([name, texts, reason]) => texts.map((text) => [name, text, reason] as const)))(
    '%s=%j is refused',
    (name, text, reason) => {
      expect(faultsOf(apiSettings({ ...needed, ...inPlaceOf[name], [name]: text }))).toEqual([`${name} ${reason}`]);
    },
  );
});

describe('faults', () => {
  test('of values, of rules and of connections are all reported at once', () => {
    const env = { PORT: 'x', MAX_HALS: '101', TEMPORAL_TLS: 'x', TEMPORAL_TLS_CLIENT_KEY_DATA: 'x', DRAIN_MS: '10000' };
    expect(faultsOf(apiSettings(env))).toEqual([
      'TEMPORAL_TLS must be one of true, false, 1, 0',
      'PORT must be an integer from 0 to 65535',
      'MAX_HALS must be an integer from 1 to 100',
      'DRAIN_MS must be less than SHUTDOWN_DEADLINE_MS',
      'AUTH_JWKS_URL or AUTH_JWKS_FILE is required: the keys that sign the tokens',
      'GRANTS_FILE or AUTHORIZER_URL is required: the source of permissions',
      'TEMPORAL_TLS_CLIENT_CERT_PATH (or _DATA) and TEMPORAL_TLS_CLIENT_KEY_PATH (or _DATA) need each other',
    ]);
  });

  type Reader = (env: Environment) => E.Either<ReadonlyArray<string>, unknown>;
  const TASKS = 'MAX_CONCURRENT_WORKFLOW_TASKS';
  const noTag = 'needs a hash tag in EVENT_STREAM: {point-alarm-events}';
  const noTime = 'must be an integer from 1 to 3600000';
  const cluster = { REDIS_CLUSTER_NODES: 'b:1', EVENT_STREAM: '{a}' };
  const sentinels = { REDIS_SENTINELS: 'a:1', REDIS_SENTINEL_MASTER: 'm' };
  const rules: ReadonlyArray<readonly [Reader, Environment, string?]> = [
    [apiSettings, { HEADERS_TIMEOUT_MS: '30001' }, 'HEADERS_TIMEOUT_MS must be at most REQUEST_TIMEOUT_MS'],
    [apiSettings, { HEADERS_TIMEOUT_MS: '30000' }],
    [apiSettings, { SOCKET_TIMEOUT_MS: '10000' }, 'CALL_DEADLINE_MS must be less than SOCKET_TIMEOUT_MS'],
    [
      apiSettings,
      { CALL_MEMORY_BYTES: '5242879' },
      'CALL_MEMORY_BYTES must be at least 2.5 times MAX_BODY_BYTES, 5242880: half of it is for one user, and pieces of a body take a quarter more',
    ],
    [apiSettings, { CALL_MEMORY_BYTES: '5242880' }],
    [apiSettings, { DRAIN_MS: '10000' }, 'DRAIN_MS must be less than SHUTDOWN_DEADLINE_MS'],
    [apiSettings, { AUTH_JWKS_URL: 'https://x/' }, 'AUTH_JWKS_URL and AUTH_JWKS_FILE exclude each other'],
    [apiSettings, { AUTHORIZER_URL: 'https://x/' }, 'GRANTS_FILE and AUTHORIZER_URL exclude each other'],
    [workerSettings, { MAX_CACHED_WORKFLOWS: '30' }, `${TASKS} must be at most MAX_CACHED_WORKFLOWS`],
    [workerSettings, { MAX_CACHED_WORKFLOWS: '40' }],
    [workerSettings, { WORKER_BUILD_ID: '1' }, 'WORKER_DEPLOYMENT and WORKER_BUILD_ID need each other'],
    [workerSettings, { REDIS_SENTINELS: 'a:1' }, 'REDIS_SENTINELS and REDIS_SENTINEL_MASTER need each other'],
    [cliSettings, { REDIS_SENTINEL_MASTER: 'm' }, 'REDIS_SENTINELS and REDIS_SENTINEL_MASTER need each other'],
    [apiSettings, { REDIS_SENTINEL_PASSWORD: 'x' }, 'REDIS_SENTINEL_PASSWORD needs REDIS_SENTINELS'],
    [workerSettings, { REDIS_CLUSTER_NODES: 'a:1' }, `REDIS_CLUSTER_NODES ${noTag}`],
    [cliSettings, { ...sentinels, ...cluster }, 'REDIS_SENTINELS and REDIS_CLUSTER_NODES exclude each other'],
    [apiSettings, { [TEMPORAL_AUTHORITY]: none }, `${TEMPORAL_AUTHORITY}: ${notThere}`],
    [apiSettings, { TEMPORAL_PROFILE: 'moon' }, "TEMPORAL_*: Profile 'moon' not found in config data"],
    // a rule about values needs both of them to be right
    [apiSettings, { HEADERS_TIMEOUT_MS: '30001', REQUEST_TIMEOUT_MS: 'x' }, `REQUEST_TIMEOUT_MS ${noTime}`],
  ];
  test.each(rules.map(([read, env, ...faults]) => ({ read, env, faults })))('of $env are $faults', (row) => {
    expect(faultsOf(row.read({ ...needed, ...row.env }))).toEqual(row.faults);
  });

  test('hold no secret, of a value or of a profile file', () => {
    const broken = fileOf('broken.toml', '[profile.default]\naddress = "x:1"\napi_key = "geheim\n');
    const urls = { REDIS_URL: 'redis://ada:geheim@x/geheim', AUTH_JWKS_URL: 'https://ada:geheim@x/' };
    const secrets = { TEMPORAL_API_KEY: 'geheim', AUTHORIZER_TOKEN: 'geheim\n' };
    const faults = faultsOf(apiSettings({ ...urls, ...secrets, TEMPORAL_CONFIG_FILE: broken })).join('\n');
    expect(faults).toContain('REDIS_URL');
    expect(faults).toContain('TEMPORAL_*: Invalid TOML document');
    expect(faults).not.toContain('geheim');
  });

  const masters = { REDIS_SENTINELS: 'a:1', REDIS_SENTINEL_MASTER: 'm' };
  const keyFile = fileOf(
    'key.toml',
    '[profile.default]\napi_key = "geheim\\n"\n[profile.default.grpc_meta]\na = "geheim\\n"\n',
  );
  test.each<[of: string, env: Environment, faults: number]>([
    ['REDIS_URL', { REDIS_URL: 'redis://:geheim@x\n' }, 1],
    ['REDIS_SENTINEL_PASSWORD', { ...masters, REDIS_SENTINEL_PASSWORD: 'geheim\n' }, 1],
    ['TEMPORAL_API_KEY', { TEMPORAL_API_KEY: 'geheim\n' }, 1],
    ['TEMPORAL_GRPC_META_', { TEMPORAL_GRPC_META_TEAM: 'geheim\n' }, 1],
    ['of the profile', { TEMPORAL_CONFIG_FILE: keyFile }, 2],
    ['AUTHORIZER_TOKEN', { AUTHORIZER_TOKEN: 'geheim\n' }, 1],
    ['PAYLOAD_KEY', { PAYLOAD_KEY: `geheim:${Buffer.alloc(32, 1).toString('base64')}\n` }, 1],
  ])('name a secret that ends with a line break, as one made of a file, and do not quote it: %s', (of, env, faults) => {
    const found = faultsOf(apiSettings({ ...needed, ...env }));
    expect(found).toEqual(Array.from({ length: faults }, () => expect.stringContaining(of) as string));
    expect(found.join()).not.toContain('geheim');
  });

  test.each(['', '# nothing\n', 'address = "x:1"\n'])(
    'are told in words where the profile file of Temporal holds %j',
    (text) => {
      const faults = faultsOf(apiSettings({ ...needed, TEMPORAL_CONFIG_FILE: fileOf('without.toml', text) }));
      expect(faults).toEqual(['TEMPORAL_*: the profile file holds no profile, such as [profile.default]']);
    },
  );

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
  const AUTHORITY = 'REDIS_TLS_SERVER_CA_CERT_PATH';
  const [CERT, KEY] = ['REDIS_TLS_CLIENT_CERT_PATH', 'REDIS_TLS_CLIENT_KEY_PATH'] as const;

  test('for Redis are read', () => {
    const env = { ...secure, [AUTHORITY]: cert, [CERT]: cert, [KEY]: key };
    const redis = { url: 'rediss://x', tls: { ca: ours.cert, cert: ours.cert, key: ours.key } };
    expect([api(env).redis, worker(env).redis, rightOf(cliSettings(env)).redis]).toEqual([redis, redis, redis]);
    expect(api(secure).redis).toEqual({ url: 'rediss://x' });
  });

  test('names the sentinels and what they call the primary, for each process and the command', () => {
    const env = { REDIS_SENTINELS: 'a:1,b:2', REDIS_SENTINEL_MASTER: 'main', REDIS_SENTINEL_PASSWORD: 'secret' };
    const addresses = ['a', 'b'].map((host, at) => ({ host, port: at + 1 }));
    const redis = { url: 'redis://127.0.0.1:6379', sentinels: { addresses, master: 'main', password: 'secret' } };
    expect([api(env).redis, worker(env).redis, rightOf(cliSettings(env)).redis]).toEqual([redis, redis, redis]);
  });

  test('names the nodes of a cluster, for a stream whose keys lie together', () => {
    const nodes = { REDIS_CLUSTER_NODES: 'redis-1:6379, [::1]:6380' };
    const clusterNodes = ['redis-1', '::1'].map((host, at) => ({ host, port: 6_379 + at }));
    expect(api({ ...nodes, EVENT_STREAM: '{alarms}' }).redis).toEqual({ url: 'redis://127.0.0.1:6379', clusterNodes });
  });

  const BOTH = `${CERT} and ${KEY} need each other`;
  const noTls = `${AUTHORITY} needs a REDIS_URL that begins with rediss://`;
  const noCertificate = 'must hold a certificate in PEM';
  const noKey = 'must hold a private key in PEM, without a passphrase';
  test.each<readonly [name: string, env: Environment, faults: ReadonlyArray<string>]>([
    ['a certificate alone', { [CERT]: cert }, [BOTH]],
    ['a key alone', { [KEY]: key }, [BOTH]],
    ['no files', { [AUTHORITY]: none, [KEY]: none }, [BOTH, `${AUTHORITY}: ${notThere}`, `${KEY}: ${notThere}`]],
    ['an authority that is none', { [AUTHORITY]: key }, [`${AUTHORITY} ${noCertificate}`]],
    ['files of something else', { [CERT]: rubbish, [KEY]: rubbish }, [`${CERT} ${noCertificate}`, `${KEY} ${noKey}`]],
    ['the key of another certificate', { [CERT]: cert, [KEY]: otherKey }, [`${KEY} must hold the key of ${CERT}`]],
    ['a connection without TLS', { REDIS_URL: 'redis://x', [AUTHORITY]: cert }, [noTls]],
    ['no URL', { REDIS_URL: '', [AUTHORITY]: cert }, [noTls]],
  ])('for Redis are refused: %s', (_, env, faults) => {
    expect(faultsOf(workerSettings({ ...secure, ...env }))).toEqual(faults);
    expect(faultsOf(apiSettings({ ...needed, ...secure, ...env }))).toEqual(faults);
    expect(faultsOf(cliSettings({ ...secure, ...env }))).toEqual(faults);
  });

  const [OWN, OWN_KEY] = ['TEMPORAL_TLS_CLIENT_CERT', 'TEMPORAL_TLS_CLIENT_KEY'];
  const noAuthority = `${TEMPORAL_AUTHORITY} (or _DATA) ${noCertificate}`;
  const [noFile, noKeyFile] = [`${OWN}_PATH: ${notThere}`, `${OWN_KEY}_PATH: ${notThere}`];
  const notOfIt = `${OWN_KEY}_PATH (or _DATA) must hold the key of ${OWN}_PATH (or _DATA)`;
  const all = { [TEMPORAL_AUTHORITY]: rubbish, [`${OWN}_PATH`]: none, [`${OWN_KEY}_PATH`]: none };
  const data = { [`${OWN}_DATA`]: ours.cert, [`${OWN_KEY}_DATA`]: 'geheim' };
  test.each<readonly [name: string, env: Environment, faults: ReadonlyArray<string>]>([
    ['an authority that is none', { [TEMPORAL_AUTHORITY]: rubbish }, [noAuthority]],
    ['a key that is none', data, [`${OWN_KEY}_PATH (or _DATA) ${noKey}`]],
    ['the key of another certificate', { [`${OWN}_PATH`]: cert, [`${OWN_KEY}_PATH`]: otherKey }, [notOfIt]],
    ['two files that are not there, and one that holds something else', all, [noFile, noKeyFile, noAuthority]],
  ])('for Temporal are refused, all at once: %s', (_, env, faults) => {
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
    expect(read(`k1:${one},k2:${two}`)).toEqual(['k1', Object.entries({ k1: 'a'.repeat(32), k2: 'b'.repeat(32) })]);
    expect(read(`none,k.1_x-Y:${one}`)).toEqual([undefined, [['k.1_x-Y', 'a'.repeat(32)]]]);
    expect(worker({ PAYLOAD_KEY: `k1:${one}` }).temporal.payloadKeys?.encrypts?.id).toBe('k1');
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

const config = fileOf(
  'temporal.toml',
  '[profile.default]\naddress = "cloud.example:7233"\nnamespace = "n"\n[profile.other]\naddress = "other.example:1"\napi_key = "k"\n',
);
test.each<[name: string, env: Environment, address: string, namespace: string, tls?: boolean]>([
  ['gives the connection', {}, 'cloud.example:7233', 'n'],
  ['gives way to the environment', { TEMPORAL_ADDRESS: 'x:1' }, 'x:1', 'n'],
  ['has several profiles', { TEMPORAL_PROFILE: 'other' }, 'other.example:1', 'default', true],
  ['may be left out', { TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') }, '127.0.0.1:7233', 'default'],
])('the profile file of Temporal %s', (_, env, address, namespace, tls) => {
  const { temporal } = worker({ TEMPORAL_CONFIG_FILE: config, ...env });
  expect(temporal).toMatchObject({ connection: { address, ...(tls === true && { tls, apiKey: 'k' }) }, namespace });
});

test('the defaults of the documents are the defaults that hold', () => {
  const presets = Object.fromEntries(
    envExample('')
      .split('\n')
      .flatMap((row) => (/^#[A-Z_]+=./u.test(row) ? [row.slice(1).split(/=(.*)/su).slice(0, 2)] : [])),
  );
  expect(api(presets)).toEqual(api({}));
  expect(worker(presets)).toEqual(worker({}));
});
