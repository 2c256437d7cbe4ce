import { loadClientConfigProfile, toClientOptions, type ClientConnectConfig } from '@temporalio/envconfig';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Environment, Values } from './setting';
import type { sharedSettings } from './settings';

/** How to reach Temporal, and the nodes in it. Both the client's and the worker's connection take `connection`. */
export interface TemporalSettings {
  readonly connection: Connection & { readonly address: string };
  readonly namespace: string;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
}

type Connection = Readonly<Pick<ClientConnectConfig['connectionOptions'], 'address' | 'apiKey' | 'tls' | 'metadata'>>;

/** What the standard `TEMPORAL_*` names and the profile file ask for; what they do not name is absent. */
export interface TemporalProfile {
  readonly connection: Connection;
  readonly namespace?: string;
}

/**
 * Reads the standard names and the profile file as the Temporal tools do.
 *
 * Errors: a profile or a file of it that cannot be read, a certificate without its key. A reason is one line, since what
 *         follows the first may quote a file.
 */
export const temporalProfile = (env: Environment): E.Either<ReadonlyArray<string>, TemporalProfile> =>
  pipe(
    E.tryCatch(
      () => {
        const profile = loadClientConfigProfile({ overrideEnvVars: whatIsSet(env) });
        return { tls: profile.tls, ...toClientOptions(profile) };
      },
      (error) => `TEMPORAL_*: ${firstLineOf(error)}`,
    ),
    E.filterOrElse(
      ({ tls }) => (tls?.clientCert === undefined) === (tls?.clientKey === undefined),
      () => 'TEMPORAL_TLS_CLIENT_CERT_PATH (or _DATA) and TEMPORAL_TLS_CLIENT_KEY_PATH (or _DATA) need each other',
    ),
    E.bimap(
      (fault) => [fault],
      ({ connectionOptions: { address, apiKey, tls, metadata }, namespace }) => ({
        connection: {
          ...(address !== undefined && { address }),
          ...(apiKey !== undefined && { apiKey }),
          ...(tls !== undefined && { tls }),
          ...(metadata !== undefined && { metadata }),
        },
        ...(namespace !== undefined && { namespace }),
      }),
    ),
  );

/** The profile, and the settings where it says nothing. */
export const temporalSettings = (
  { connection, namespace }: TemporalProfile,
  settings: Values<typeof sharedSettings>,
): TemporalSettings => ({
  connection: { ...connection, address: connection.address ?? settings.TEMPORAL_ADDRESS },
  namespace: namespace ?? settings.TEMPORAL_NAMESPACE,
  taskQueue: settings.TEMPORAL_TASK_QUEUE,
  searchAttributes: settings.TEMPORAL_SEARCH_ATTRIBUTES,
});

const whatIsSet = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );

const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : 'not readable').split('\n', 1).join('');
