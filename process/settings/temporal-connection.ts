import { loadClientConfigProfile, toClientOptions, type ClientConnectConfig } from '@temporalio/envconfig';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as R from 'fp-ts/Record';
import { reasonOf } from '../reason-of';
import { certificateFaults, readCertificates } from './certificates';
import type { PayloadKeys } from './codecs';
import type { Environment, Validated } from './read';
import type { Values } from './table';

/** The connection to Temporal and the place of the nodes. Client and worker use the same `connection`. */
export interface TemporalSettings {
  readonly connection: Connection & { readonly address: string };
  readonly namespace: string;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
  readonly payloadKeys?: PayloadKeys;
}

export type TemporalValues = Values<'pas with Temporal'>;

type Connection = Readonly<Pick<ClientConnectConfig['connectionOptions'], 'address' | 'apiKey' | 'tls' | 'metadata'>>;

const certificateFiles = {
  ca: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  cert: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
  key: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
};
const certificates = R.map((name: string) => `${name} (or _DATA)`)(certificateFiles);

/**
 * Temporal by the standard names and the profile file, as its own tools read them, completed by the values of settings.
 *
 * Errors: an unreadable profile or file, a certificate without its key, or an invalid one. A reason is one line, since further
 *         lines may quote a file.
 */
export const temporalConnection = (env: Environment): Validated<(values: TemporalValues) => TemporalSettings> => {
  const { unreadable } = readCertificates(env, certificateFiles);
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '' && !unreadable.has(entry[0]),
  );
  return pipe(
    E.tryCatch(
      () => {
        const profile = loadClientConfigProfile({ overrideEnvVars: Object.fromEntries(given) });
        return { tls: profile.tls, ...toClientOptions(profile) };
      },
      (error) => [...unreadable.values(), `TEMPORAL_*: ${reasonOf(error).split('\n', 1).join('')}`],
    ),
    E.chain(({ tls, connectionOptions, namespace }) => {
      const isPair = (tls?.clientCert === undefined) === (tls?.clientKey === undefined);
      const faults = [
        ...unreadable.values(),
        ...(isPair || unreadable.size > 0 ? [] : [`${certificates.cert} and ${certificates.key} need each other`]),
        ...faultsOf(connectionOptions),
      ];
      const connection: Connection = Object.fromEntries(
        Object.entries(connectionOptions).filter(([, value]) => value !== undefined),
      );
      return faults.length > 0
        ? E.left(faults)
        : E.right((values: TemporalValues) => ({
            connection: { ...connection, address: connection.address ?? values.TEMPORAL_ADDRESS },
            namespace: namespace ?? values.TEMPORAL_NAMESPACE,
            taskQueue: values.TEMPORAL_TASK_QUEUE,
            searchAttributes: values.TEMPORAL_SEARCH_ATTRIBUTES,
            ...(values.PAYLOAD_KEY !== undefined && { payloadKeys: values.PAYLOAD_KEY }),
          }));
    }),
  );
};

const faultsOf = ({ tls }: Connection): ReadonlyArray<string> => {
  if (typeof tls !== 'object' || tls === null) return [];
  const { serverRootCACertificate: ca, clientCertPair: pair } = tls;
  return certificateFaults(certificates, { ca, cert: pair?.crt, key: pair?.key });
};
