import * as E from 'fp-ts/Either';
import { areOnePair, certificateFault, keyFault, readPem } from './certificates';
import { textOf, type Environment, type Validated } from './read';
import { table, type Values } from './table';

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

/** The settings that say where Redis is. */
export type RedisValues = Pick<
  Values<'pas'>,
  'REDIS_URL' | 'REDIS_SENTINELS' | 'REDIS_SENTINEL_MASTER' | 'REDIS_SENTINEL_PASSWORD' | 'REDIS_CLUSTER_NODES'
>;

/** The files that the settings name, read; or every fault found. They are read once, when the process starts. */
export const redisTls = (env: Environment): Validated<RedisTls> => {
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
  const url = textOf(env, 'REDIS_URL') ?? table.REDIS_URL.preset;
  return !URL.canParse(url) || new URL(url).protocol !== 'redis:';
};

export const redisSettings = (values: RedisValues, tls: RedisTls): RedisSettings => {
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
