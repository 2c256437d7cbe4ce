import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'redis';
import { inject } from 'vitest';
import { freePort } from '../../../dev/stack/free-ports';
import { startChild } from '../../../dev/stack/child';
import { openGround, type TestGround } from '../../support/ground';
import { createAuthority, type Pair } from '../../support/tls/certificates';
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import type { Entry } from '../../integration/workflows/nodes';

export type Env = Readonly<Record<string, string>>;

/** Temporal and Redis behind TLS that wants a client certificate. */
export interface TlsEndpoints {
  readonly temporal: TcpProxy;
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
  readonly endpoints: Readonly<Record<ServerCertificate, TlsEndpoints>>;
  /** The settings of processes that have this client certificate, and trust the good authority. */
  readonly settings: Readonly<Record<ClientCertificate, Env>>;
  readonly close: () => Promise<void>;
}

/** Starts doors of every kind; their certificates are made now and go with them. */
export const startTlsEndpoints = async (): Promise<Tls> => {
  const ground = openGround('tls');
  const { folder } = ground;
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
  const open = async (kind: ServerCertificate): Promise<TlsEndpoints> => {
    const pair = pairs[kind];
    const name = kind.replaceAll(' ', '-');
    const [cert, key] = [await file(`${name}.pem`, pair.cert), await file(`${name}.key`, pair.key)];
    const port = await freePort();
    // Temporal's development server speaks no TLS itself.
    const temporal = await openTcpProxy(port, Number(inject('temporalAddress').split(':')[1]), {
      ...{ ...pair, ca: ours.cert, requestCert: true, rejectUnauthorized: true },
      ...{ minVersion: 'TLSv1.2', ALPNProtocols: ['h2'] },
    });
    const redis = await startTlsRedis(ground, cert, key, ca);
    return { temporal, redis, env: { TEMPORAL_ADDRESS: `localhost:${port}`, REDIS_URL: redis.url } };
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
  const endpoints = await eachOf(servers, open);
  return {
    endpoints,
    settings: await eachOf(clients, settings),
    close: async () => {
      for (const { temporal, redis } of Object.values(endpoints)) {
        temporal.close();
        redis.leave();
      }
      await ground.close();
    },
  };
};

const eachOf = async <K extends string, A>(
  names: ReadonlyArray<K>,
  make: (name: K) => Promise<A>,
): Promise<Readonly<Record<K, A>>> =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await make(name)] as const))) as Record<K, A>;

/** A Redis that takes TLS only, from clients with a certificate of its authority. */
interface TlsRedis {
  readonly url: string;
  readonly entries: (stream: string) => Promise<ReadonlyArray<Entry>>;
  /** The names of the connections: whoever was let in gave one; the connection that asks has none. */
  readonly clients: () => Promise<ReadonlyArray<string>>;
  readonly keys: () => Promise<ReadonlyArray<string>>;
  readonly leave: () => void;
}

/** Starts one; `cert`, `key` and `ca` are files in PEM. */
const startTlsRedis = async (
  { folder, servers, watchdog }: TestGround,
  cert: string,
  key: string,
  ca: string,
): Promise<TlsRedis> => {
  const port = String(await freePort());
  const path = join(folder, `redis-${port}.sock`);
  const args = [
    ...['--port', '0', '--tls-port', port, '--bind', '127.0.0.1', '--unixsocket', path],
    ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca, '--tls-auth-clients', 'yes'],
    ...['--save', '', '--appendonly', 'no', '--dir', folder],
  ];
  const plan = { name: 'redis', command: servers.commands?.redis ?? 'redis-server', args, env: process.env };
  await startChild({ ...plan, folder, log: join(folder, `redis-${port}.log`) }, watchdog);
  const client = createClient({ socket: { path, reconnectStrategy: 50 } });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url: `rediss://localhost:${port}`,
    entries: async (stream) => ((await client.xRange(stream, '-', '+')) ?? []).map(({ message }) => message as Entry),
    clients: async () => (await client.clientList()).flatMap(({ name }) => (name === '' ? [] : [name])),
    keys: () => client.keys('*'),
    leave: () => client.destroy(),
  };
};
