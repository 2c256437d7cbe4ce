import { loadClientConfigProfile, toClientOptions, type ClientConnectConfig } from '@temporalio/envconfig';
import * as E from 'fp-ts/Either';
import { reasonOf } from '../reason-of';
import { pipe } from 'fp-ts/function';
import { areOnePair, certificateFault, keyFault, readPem } from './certificates';
import type { PayloadKeys } from './codecs';
import { textOf, type Environment, type Validated } from './read';
import type { Values } from './table';

/** The connection to Temporal and the place of the nodes. Client and worker use the same `connection`. */
export interface TemporalSettings {
  readonly connection: Connection & { readonly address: string };
  readonly namespace: string;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
  /** The keys of payload encryption; absent: no encryption. */
  readonly payloadKeys?: PayloadKeys;
}

export type TemporalValues = Values<'pas with Temporal'>;

type Connection = Readonly<Pick<ClientConnectConfig['connectionOptions'], 'address' | 'apiKey' | 'tls' | 'metadata'>>;

/** The settings of the standard `TEMPORAL_*` names and the profile file; others are absent. */
export interface TemporalProfile {
  readonly connection: Connection;
  readonly namespace?: string;
}

/**
 * Reads the standard names and the profile file as the Temporal tools do.
 *
 * Errors: an unreadable profile or file, a certificate without its key, or an invalid one. A reason is one line, since further
 *         lines may quote a file.
 */
export const temporalProfile = (env: Environment): Validated<TemporalProfile> => {
  const unreadable = new Map(certificateFiles.flatMap((name) => unreadableFile(env, name)));
  const readable = Object.entries(env).filter(([name]) => !unreadable.has(name));
  return pipe(
    E.tryCatch(
      () => {
        const profile = loadClientConfigProfile({ overrideEnvVars: whatIsSet(readable) });
        return { tls: profile.tls, ...toClientOptions(profile) };
      },
      (error) => [...unreadable.values(), `TEMPORAL_*: ${firstLineOf(error)}`],
    ),
    E.chain(({ tls, ...profile }) => {
      const isPair = (tls?.clientCert === undefined) === (tls?.clientKey === undefined);
      const faults = [
        ...unreadable.values(),
        ...(isPair || unreadable.size > 0 ? [] : [`${CERT} and ${KEY} need each other`]),
        ...certificateFaults(profile.connectionOptions.tls),
      ];
      return faults.length > 0 ? E.left(faults) : E.right(profile);
    }),
    E.map(({ connectionOptions: { address, apiKey, tls, metadata }, namespace }) => ({
      connection: {
        ...(address !== undefined && { address }),
        ...(apiKey !== undefined && { apiKey }),
        ...(tls !== undefined && { tls }),
        ...(metadata !== undefined && { metadata }),
      },
      ...(namespace !== undefined && { namespace }),
    })),
  );
};

const certificateFiles = [
  'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
] as const;

/** The file that `name` names, with its fault, where it cannot be read. */
const unreadableFile = (env: Environment, name: string): ReadonlyArray<readonly [string, string]> => {
  const path = textOf(env, name);
  const read = path === undefined ? E.right('') : readPem(name, path);
  return E.isLeft(read) ? [[name, read.left]] : [];
};

const CA = 'TEMPORAL_TLS_SERVER_CA_CERT_PATH (or _DATA)';
const CERT = 'TEMPORAL_TLS_CLIENT_CERT_PATH (or _DATA)';
const KEY = 'TEMPORAL_TLS_CLIENT_KEY_PATH (or _DATA)';

const certificateFaults = (tls: ClientConnectConfig['connectionOptions']['tls']): ReadonlyArray<string> => {
  if (typeof tls !== 'object' || tls === null) return [];
  const { serverRootCACertificate: ca, clientCertPair: pair } = tls;
  const faults = [
    ...(ca === undefined ? [] : faultOf(CA, certificateFault(Buffer.from(ca)))),
    ...(pair === undefined ? [] : faultOf(CERT, certificateFault(Buffer.from(pair.crt)))),
    ...(pair === undefined ? [] : faultOf(KEY, keyFault(Buffer.from(pair.key)))),
  ];
  if (pair === undefined || faults.length > 0) return faults;
  return areOnePair(Buffer.from(pair.crt), Buffer.from(pair.key)) ? [] : [`${KEY} must hold the key of ${CERT}`];
};

const faultOf = (name: string, fault: string | undefined): ReadonlyArray<string> =>
  fault === undefined ? [] : [`${name} ${fault}`];

/** The profile, completed by the settings. */
export const temporalSettings = (
  { connection, namespace }: TemporalProfile,
  settings: TemporalValues,
): TemporalSettings => ({
  connection: { ...connection, address: connection.address ?? settings.TEMPORAL_ADDRESS },
  namespace: namespace ?? settings.TEMPORAL_NAMESPACE,
  taskQueue: settings.TEMPORAL_TASK_QUEUE,
  searchAttributes: settings.TEMPORAL_SEARCH_ATTRIBUTES,
  ...(settings.PAYLOAD_KEY !== undefined && { payloadKeys: settings.PAYLOAD_KEY }),
});

const whatIsSet = (env: ReadonlyArray<readonly [string, string | undefined]>): Record<string, string> =>
  Object.fromEntries(env.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''));

const firstLineOf = (error: unknown): string => reasonOf(error).split('\n', 1).join('');
