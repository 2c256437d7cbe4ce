import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createClient } from 'redis';
import { foundCommands } from '../../support/found-commands';
import { eventually, type Entry } from '../workflows/nodes';

/** A Redis that takes TLS only, from clients with a certificate of its authority. */
export interface TlsRedis {
  readonly url: string;
  readonly entries: (stream: string) => Promise<ReadonlyArray<Entry>>;
  /** The names of the connections: whoever was let in gave one; the connection that asks has none. */
  readonly clients: () => Promise<ReadonlyArray<string>>;
  readonly keys: () => Promise<ReadonlyArray<string>>;
  readonly stop: () => Promise<void>;
}

export interface TlsRedisPlan {
  readonly folder: string;
  readonly port: number;
  /** Files in PEM. */
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

export const startTlsRedis = async ({ folder, port, cert, key, ca }: TlsRedisPlan): Promise<TlsRedis> => {
  const path = join(folder, `redis-${port}.sock`);
  const { redis: command = 'redis-server' } = foundCommands(process.env);
  const child = spawn(
    command,
    [
      ...['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--unixsocket', path],
      ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca, '--tls-auth-clients', 'yes'],
      ...['--save', '', '--appendonly', 'no', '--dir', folder],
    ],
    { stdio: 'ignore' },
  );
  const client = createClient({ socket: { path, reconnectStrategy: 50 } });
  client.on('error', () => undefined);
  await client.connect();
  await eventually(
    () => client.ping(),
    (answer) => answer === 'PONG',
  );
  return {
    url: `rediss://localhost:${port}`,
    entries: async (stream) => ((await client.xRange(stream, '-', '+')) ?? []).map(({ message }) => message as Entry),
    clients: async () => (await client.clientList()).flatMap(({ name }) => (name === '' ? [] : [name])),
    keys: () => client.keys('*'),
    stop: async () => {
      client.destroy();
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};
