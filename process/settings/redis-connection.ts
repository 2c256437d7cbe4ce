import * as E from 'fp-ts/Either';
import { certificateFaults, readCertificates, type Certificates } from './certificates';
import type { Place } from './codecs';
import { textOf, type Environment, type Validated } from './read';
import { table, type Values } from './table';

export interface RedisSettings {
  /** With sentinels or a cluster only its protocol, user, password and database count. */
  readonly url: string;
  readonly tls?: Certificates;
  readonly sentinels?: {
    readonly addresses: ReadonlyArray<Place>;
    /** The name by which they know the primary. */
    readonly master: string;
    readonly password?: string;
  };
  readonly clusterNodes?: ReadonlyArray<Place>;
}

const certificateFiles = {
  ca: 'REDIS_TLS_SERVER_CA_CERT_PATH',
  cert: 'REDIS_TLS_CLIENT_CERT_PATH',
  key: 'REDIS_TLS_CLIENT_KEY_PATH',
};

export type RedisValues = Pick<
  Values<'pas'>,
  'REDIS_URL' | 'REDIS_SENTINELS' | 'REDIS_SENTINEL_MASTER' | 'REDIS_SENTINEL_PASSWORD' | 'REDIS_CLUSTER_NODES'
>;

/**
 * Redis as the values of settings name it, called by the certificates in the files that others name; or every fault of those.
 * They are read once, when the process starts.
 */
export const redisConnection = (env: Environment): Validated<(values: RedisValues) => RedisSettings> => {
  const { read: tls, unreadable } = readCertificates(env, certificateFiles);
  const named = Object.values(certificateFiles).filter((name) => textOf(env, name) !== undefined);
  const faults = [
    ...(usesTls(env) ? [] : named.map((name) => `${name} needs a REDIS_URL that begins with rediss://`)),
    ...unreadable.values(),
    ...certificateFaults(certificateFiles, tls),
  ];
  return faults.length > 0 ? E.left(faults) : E.right((values) => redisSettings(values, tls));
};

/** A URL that is none has a fault of its own. */
const usesTls = (env: Environment): boolean => {
  const url = textOf(env, 'REDIS_URL') ?? table.REDIS_URL.preset;
  return !URL.canParse(url) || new URL(url).protocol !== 'redis:';
};

const redisSettings = (values: RedisValues, tls: Certificates): RedisSettings => {
  const { REDIS_SENTINELS: addresses, REDIS_SENTINEL_MASTER: master, REDIS_SENTINEL_PASSWORD: password } = values;
  const { REDIS_CLUSTER_NODES: clusterNodes } = values;
  return {
    url: values.REDIS_URL,
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(addresses !== undefined &&
      master !== undefined && { sentinels: { addresses, master, ...(password !== undefined && { password }) } }),
    ...(clusterNodes !== undefined && { clusterNodes }),
  };
};
