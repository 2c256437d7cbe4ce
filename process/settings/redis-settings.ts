import * as E from 'fp-ts/Either';
import { areOnePair, certificateFault, keyFault, readPem } from './pem';
import { textOf, type Environment, type Values } from './setting';
import { sharedSettings } from './settings';

/** Where Redis is, and by which certificates it is called. */
export interface RedisSettings {
  /** With sentinels or a cluster only its protocol, user, password and database count. */
  readonly url: string;
  readonly tls?: RedisTls;
  readonly sentinels?: {
    readonly addresses: ReadonlyArray<Place>;
    /** The name by which they know the primary. */
    readonly master: string;
    readonly password?: string;
  };
  readonly clusterNodes?: ReadonlyArray<Place>;
}

/** Where a server listens. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** The authority in place of the system's, and the certificate that is shown with its key; all in PEM. */
export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

const CA = 'REDIS_TLS_SERVER_CA_CERT_PATH';
const CERT = 'REDIS_TLS_CLIENT_CERT_PATH';
const KEY = 'REDIS_TLS_CLIENT_KEY_PATH';

/** The rows that say where Redis is, for tables of settings. */
export const redisRows = {
  REDIS_URL: sharedSettings.REDIS_URL,
  [CA]: sharedSettings[CA],
  [CERT]: sharedSettings[CERT],
  [KEY]: sharedSettings[KEY],
  REDIS_SENTINELS: sharedSettings.REDIS_SENTINELS,
  REDIS_SENTINEL_MASTER: sharedSettings.REDIS_SENTINEL_MASTER,
  REDIS_SENTINEL_PASSWORD: sharedSettings.REDIS_SENTINEL_PASSWORD,
  REDIS_CLUSTER_NODES: sharedSettings.REDIS_CLUSTER_NODES,
};

/** The files that the settings name, read; or every fault found. They are read once, when the process starts. */
export const redisTls = (env: Environment): E.Either<ReadonlyArray<string>, RedisTls> => {
  const faults: string[] = [];
  const read = (name: string, faultOf: (pem: string) => string | undefined): string | undefined => {
    const path = textOf(env, name);
    if (path === undefined) return undefined;
    if (!speaksTls(env)) faults.push(`${name} needs a REDIS_URL that begins with rediss://`);
    const pem = readPem(name, path);
    const fault = E.isLeft(pem) ? pem.left : faultOf(pem.right);
    if (fault !== undefined) faults.push(E.isLeft(pem) ? fault : `${name} ${fault}`);
    return E.isRight(pem) && fault === undefined ? pem.right : undefined;
  };
  const [ca, cert, key] = [read(CA, certificateFault), read(CERT, certificateFault), read(KEY, keyFault)];
  if ((textOf(env, CERT) === undefined) !== (textOf(env, KEY) === undefined)) {
    faults.push(`${CERT} and ${KEY} need each other`);
  }
  if (cert !== undefined && key !== undefined && !areOnePair(cert, key)) {
    faults.push(`${KEY} must hold the key of ${CERT}`);
  }
  if (faults.length > 0) return E.left(faults);
  return E.right({
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  });
};

/** A URL that is none has a fault of its own. */
const speaksTls = (env: Environment): boolean => {
  const url = textOf(env, 'REDIS_URL') ?? sharedSettings.REDIS_URL.preset ?? '';
  return !URL.canParse(url) || new URL(url).protocol !== 'redis:';
};

export const redisSettings = (values: Values<typeof redisRows>, tls: RedisTls): RedisSettings => {
  const { REDIS_SENTINELS: addresses, REDIS_SENTINEL_MASTER: master, REDIS_SENTINEL_PASSWORD: password } = values;
  const { REDIS_URL: url, REDIS_CLUSTER_NODES: clusterNodes } = values;
  return {
    url,
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(addresses !== undefined &&
      master !== undefined && { sentinels: { addresses, master, ...(password !== undefined && { password }) } }),
    ...(clusterNodes !== undefined && { clusterNodes }),
  };
};

/** Settings that contradict one another. */
export const redisFaults = (env: Environment): E.Either<ReadonlyArray<string>, void> => {
  const isSet = (name: string): boolean => textOf(env, name) !== undefined;
  const isPartitioned = (textOf(env, 'EVENT_STREAM_PARTITIONS') ?? '1') !== '1';
  const hasTag = /\{[^}]+\}/u.test(textOf(env, 'EVENT_STREAM') ?? '');
  const faults = [
    ...(isSet('REDIS_SENTINELS') === isSet('REDIS_SENTINEL_MASTER')
      ? []
      : ['REDIS_SENTINELS and REDIS_SENTINEL_MASTER need each other']),
    ...(isSet('REDIS_SENTINEL_PASSWORD') && !isSet('REDIS_SENTINELS')
      ? ['REDIS_SENTINEL_PASSWORD needs REDIS_SENTINELS']
      : []),
    ...(isSet('REDIS_SENTINELS') && isSet('REDIS_CLUSTER_NODES')
      ? ['REDIS_SENTINELS and REDIS_CLUSTER_NODES exclude each other']
      : []),
    ...(isPartitioned && hasTag
      ? ['EVENT_STREAM must have no hash tag where EVENT_STREAM_PARTITIONS gives each its own']
      : []),
    ...(isSet('REDIS_CLUSTER_NODES') && !isPartitioned && !hasTag
      ? [
          'REDIS_CLUSTER_NODES needs EVENT_STREAM_PARTITIONS above 1, or a hash tag in EVENT_STREAM: {point-alarm-events}',
        ]
      : []),
  ];
  return faults.length > 0 ? E.left(faults) : E.right(undefined);
};
