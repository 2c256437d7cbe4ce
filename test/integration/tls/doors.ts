import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { portChooser, testPort } from '../../../stack/free-ports';
import { createAuthority, type Pair } from '../../support/tls/certificates';
import { startTlsProxy, type TlsProxy } from './tls-proxy';
import { startTlsRedis, type TlsRedis } from './tls-redis';

export type Env = Readonly<Record<string, string>>;

/** Temporal and Redis behind TLS that wants a client certificate. */
export interface Doors {
  readonly temporal: TlsProxy;
  readonly redis: TlsRedis;
  /** The settings that lead to both. */
  readonly env: Env;
}

const servers = ['good', 'of another authority', 'of another name', 'expired'] as const;
const clients = ['ours', 'of another authority', 'none'] as const;
export type ServerCertificate = (typeof servers)[number];
export type ClientCertificate = (typeof clients)[number];

export interface Tls {
  /** Doors that show a server certificate of this kind. */
  readonly doors: Readonly<Record<ServerCertificate, Doors>>;
  /** The settings of processes that have this client certificate, and trust the good authority. */
  readonly settings: Readonly<Record<ClientCertificate, Env>>;
  readonly close: () => Promise<void>;
}

/** Starts doors of every kind; their certificates are made now and go with them. */
export const openDoors = async (): Promise<Tls> => {
  const folder = await mkdtemp(join(tmpdir(), 'point-alarm-tls-'));
  const file = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const [ours, another] = [createAuthority('ours'), createAuthority('another')];
  const ca = await file('ca.pem', ours.cert);
  const pairs: Readonly<Record<ServerCertificate, Pair>> = {
    good: ours.issue('localhost'),
    'of another authority': another.issue('localhost'),
    'of another name': ours.issue('elsewhere.example'),
    expired: ours.issue('localhost', new Date(Date.now() - 60_000)),
  };
  const chooser = portChooser('127.0.0.1');
  const open = async (kind: ServerCertificate): Promise<Doors> => {
    const pair = pairs[kind];
    const name = kind.replaceAll(' ', '-');
    const files = { cert: await file(`${name}.pem`, pair.cert), key: await file(`${name}.key`, pair.key) };
    const temporal = await startTlsProxy(await chooser(testPort()), inject('temporalAddress'), pair, ours.cert);
    const redis = await startTlsRedis({ folder, port: await chooser(testPort()), ...files, ca });
    return { temporal, redis, env: { TEMPORAL_ADDRESS: temporal.address, REDIS_URL: redis.url } };
  };
  const settings = async (kind: ClientCertificate): Promise<Env> => {
    const trust = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca, REDIS_TLS_SERVER_CA_CERT_PATH: ca };
    if (kind === 'none') return trust;
    const pair = (kind === 'ours' ? ours : another).issue('point-alarm');
    const name = `client-${kind.replaceAll(' ', '-')}`;
    const [cert, key] = [await file(`${name}.pem`, pair.cert), await file(`${name}.key`, pair.key)];
    return {
      ...trust,
      TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
      TEMPORAL_TLS_CLIENT_KEY_PATH: key,
      REDIS_TLS_CLIENT_CERT_PATH: cert,
      REDIS_TLS_CLIENT_KEY_PATH: key,
    };
  };
  const doors = await eachOf(servers, open);
  return {
    doors,
    settings: await eachOf(clients, settings),
    close: async () => {
      for (const { temporal, redis } of Object.values(doors)) {
        await temporal.close();
        await redis.stop();
      }
      await rm(folder, { recursive: true });
    },
  };
};

const eachOf = async <K extends string, A>(
  names: ReadonlyArray<K>,
  make: (name: K) => Promise<A>,
): Promise<Readonly<Record<K, A>>> => {
  const made: Array<readonly [K, A]> = [];
  for (const name of names) made.push([name, await make(name)]);
  return Object.fromEntries(made) as Record<K, A>;
};
