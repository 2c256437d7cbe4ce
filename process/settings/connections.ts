import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadClientConfigProfile, toClientOptions, type ClientConnectConfig } from '@temporalio/envconfig';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as R from 'fp-ts/Record';
import { reasonOf } from '../reason-of';
import type { PayloadKeys } from './codecs';
import { textOf, type Environment, type Validated } from './read';
import type { Certificates, RedisSettings } from './redis-settings';
import type { Values } from './table';

export type { Certificates, RedisSettings };

const redisFiles = {
  ca: 'REDIS_TLS_SERVER_CA_CERT_PATH',
  cert: 'REDIS_TLS_CLIENT_CERT_PATH',
  key: 'REDIS_TLS_CLIENT_KEY_PATH',
};

/** The certificates for Redis, or every fault of their files, which are read only once, when the process starts. */
export const redisCertificates = (env: Environment): Validated<Certificates> => {
  const { read, unreadable } = readCertificates(env, redisFiles);
  const faults = [...unreadable.values(), ...certificateFaults(redisFiles, read)];
  return faults.length > 0 ? E.left(faults) : E.right(read);
};

type RedisValues = Pick<Values<'pas'>, `REDIS_${string}` & keyof Values<'pas'>>;

export const redisSettings = (values: RedisValues, tls: Certificates): RedisSettings => {
  const { REDIS_SENTINELS: addresses, REDIS_SENTINEL_MASTER: master, REDIS_SENTINEL_PASSWORD: password } = values;
  return {
    url: values.REDIS_URL,
    tls: Object.keys(tls).length > 0 ? tls : undefined,
    sentinels: addresses !== undefined && master !== undefined ? { addresses, master, password } : undefined,
    clusterNodes: values.REDIS_CLUSTER_NODES,
  };
};

/** The connection to Temporal, and the namespace and task queue of the nodes. Client and worker use the same `connection`. */
export interface TemporalSettings {
  readonly connection: Connection & { readonly address: string };
  readonly namespace: string;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
  readonly payloadKeys?: PayloadKeys | undefined;
}

type Connection = Readonly<Pick<ClientConnectConfig['connectionOptions'], 'address' | 'apiKey' | 'tls' | 'metadata'>>;

interface Profile {
  readonly connection: Connection;
  readonly namespace: string | undefined;
}

const temporalFiles = {
  ca: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  cert: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
  key: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
};
const temporalNames = R.map((name: string) => `${name} (or _DATA)`)(temporalFiles);

/**
 * The settings for Temporal, from the environment variables and the profile file that Temporal's own tools read.
 *
 * Errors: an unreadable profile or file, an invalid certificate, one without its key, or a secret that gRPC cannot carry. A
 * reason is one line, since further lines may quote a file.
 */
export const temporalProfile = (env: Environment): Validated<Profile> => {
  const { unreadable } = readCertificates(env, temporalFiles);
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '' && !unreadable.has(entry[0]),
  );
  return pipe(
    E.tryCatch(
      () => {
        const profile = loadClientConfigProfile({ overrideEnvVars: Object.fromEntries(given) });
        return { pair: profile.tls, ...toClientOptions(profile) };
      },
      (error) => [...unreadable.values(), `TEMPORAL_*: ${whyNoProfile(error)}`],
    ),
    E.chain(({ pair, connectionOptions: { tls, ...others }, namespace }) => {
      const isPair = (pair?.clientCert === undefined) === (pair?.clientKey === undefined);
      const { serverRootCACertificate: ca, clientCertPair } = typeof tls === 'object' && tls !== null ? tls : {};
      const faults = [
        ...unreadable.values(),
        ...(isPair || unreadable.size > 0 ? [] : [`${temporalNames.cert} and ${temporalNames.key} need each other`]),
        ...certificateFaults(temporalNames, { ca, cert: clientCertPair?.crt, key: clientCertPair?.key }),
        ...metadataFaults(env, others),
      ];
      const present = Object.entries({ tls, ...others }).filter(([, value]) => value !== undefined);
      const connection: Connection = Object.fromEntries(present);
      return faults.length > 0 ? E.left(faults) : E.right({ connection, namespace });
    }),
  );
};

/** The SDK throws a TypeError if the profile file has no table of profiles. */
const whyNoProfile = (error: unknown): string =>
  error instanceof TypeError
    ? 'the profile file holds no profile, such as [profile.default]'
    : reasonOf(error).split('\n', 1).join('');

/** Faults of values that gRPC cannot carry, such as a secret with a line break. Each call's error would quote the value. */
const metadataFaults = (env: Environment, { apiKey = '', metadata = {} }: Connection): ReadonlyArray<string> => [
  ...(textOf(env, 'TEMPORAL_API_KEY') !== undefined || isCarried(apiKey)
    ? []
    : ['api_key of the profile of Temporal must be printable ASCII']),
  ...Object.entries(metadata)
    .filter(([, value]) => typeof value === 'string' && !isCarried(value))
    .map(([name]) => `TEMPORAL_GRPC_META_* (or grpc_meta of the profile) must be printable ASCII: ${name}`),
];

const isCarried = (text: string): boolean => /^[ -~]*$/u.test(text);

export const temporalSettings = (values: Values<'pas with Temporal'>, profile: Profile): TemporalSettings => ({
  connection: { ...profile.connection, address: profile.connection.address ?? values.TEMPORAL_ADDRESS },
  namespace: profile.namespace ?? values.TEMPORAL_NAMESPACE,
  taskQueue: values.TEMPORAL_TASK_QUEUE,
  searchAttributes: values.TEMPORAL_SEARCH_ATTRIBUTES,
  payloadKeys: values.PAYLOAD_KEY,
});

type Names = Readonly<Record<keyof Certificates, string>>;

/** `read`: the texts of the files that the settings in `names` give. `unreadable`: by setting, why a file cannot be read. */
const readCertificates = (env: Environment, names: Names) => {
  const read: Record<string, string> = {};
  const unreadable = new Map<string, string>();
  for (const [of, name] of Object.entries(names)) {
    const path = textOf(env, name);
    if (path === undefined) continue;
    try {
      read[of] = readFileSync(path, 'utf8');
    } catch (error) {
      unreadable.set(name, `${name}: ${reasonOf(error)}`);
    }
  }
  return { read, unreadable };
};

/** The faults of certificates, each with the name of its setting. TLS would silently ignore an invalid authority. */
const certificateFaults = (
  names: Names,
  { ca, cert, key }: Certificates<string | Uint8Array | undefined>,
): ReadonlyArray<string> => {
  const [authority, certificate] = [ca, cert].map((pem) => parsed((bytes) => new X509Certificate(bytes), pem));
  const privateKey = parsed(createPrivateKey, key);
  const isPair =
    typeof certificate !== 'object' || typeof privateKey !== 'object' || certificate.checkPrivateKey(privateKey);
  return [
    authority === 'invalid' && `${names.ca} must hold a certificate in PEM`,
    certificate === 'invalid' && `${names.cert} must hold a certificate in PEM`,
    privateKey === 'invalid' && `${names.key} must hold a private key in PEM, without a passphrase`,
    !isPair && `${names.key} must hold the key of ${names.cert}`,
  ].filter((fault) => fault !== false);
};

const parsed = <A>(parse: (pem: Buffer) => A, pem: string | Uint8Array | undefined): A | 'invalid' | undefined => {
  try {
    return pem === undefined ? undefined : parse(Buffer.from(pem));
  } catch {
    return 'invalid';
  }
};
