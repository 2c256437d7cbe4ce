import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'redis';
import type { Environment } from '../../../dev/stack/environment';
import { freePort } from '../../../dev/stack/free-ports';
import { startRunning, type Running } from '../../../dev/stack/running';
import type { Certificates, HostPort } from '../../../process/settings';
import { openGround } from '../ground';
import { createAuthority } from '../tls/certificates';

export interface RedisProcess extends HostPort, Running {
  /** The answer to one command, by a connection of its own. */
  readonly ask: (...command: ReadonlyArray<string>) => Promise<unknown>;
}

/** Processes in a folder of their own, which goes when they are stopped. */
export interface RedisGround {
  readonly server: (...args: ReadonlyArray<string>) => Promise<RedisProcess>;
  /** A sentinel that watches `primary` as `main`, and takes it for dead after a time (ms). */
  readonly sentinel: (primary: HostPort, quorum: number, downAfterMs?: number) => Promise<RedisProcess>;
  /** What a client needs where they speak TLS. */
  readonly tls?: Certificates;
  readonly stop: () => Promise<void>;
}

const QUIET = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];

/**
 * `secured`: all of them speak TLS alone, among each other too, take only clients with a certificate of their authority, and are
 * known by the name that their own certificate bears. `env`: of the processes, beside our own.
 */
export const redisGround = async (secured = false, env: Environment = {}): Promise<RedisGround> => {
  const ground = openGround('redis');
  const { folder } = ground;
  const security = secured ? await securityIn(folder) : undefined;
  const host = security === undefined ? '127.0.0.1' : NAME;
  const listening = (port: number): ReadonlyArray<string> => security?.listening(port) ?? [`port ${port}`];
  const asArguments = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
    lines.flatMap((line) => `--${line}`.split(' '));
  const started: RedisProcess[] = [];
  const start = async (port: number, args: ReadonlyArray<string>): Promise<RedisProcess> => {
    const url = `${secured ? 'rediss' : 'redis'}://${host}:${port}`;
    const ask = askerOf(url, security?.tls);
    const command = ground.servers.commands?.redis ?? 'redis-server';
    const plan = {
      name: `redis-${port}`,
      command,
      args,
      folder,
      env: { ...process.env, ...env },
      log: join(folder, `${port}.log`),
      url,
    };
    const running = await startRunning({ ...plan, probe: async () => void (await ask('PING')) }, ground);
    const one = { ...running, host, port, ask };
    started.push(one);
    await one.ready();
    return one;
  };
  return {
    server: async (...args) => {
      const port = await freePort();
      const bus = await freePort(); // by itself it would be in the ephemeral range, where a client may have it
      const files = ['--dir', folder, '--dbfilename', `${port}.rdb`, '--cluster-config-file', `${port}-nodes.conf`];
      const secure = security === undefined ? [] : asArguments(NAMED);
      return start(port, [
        ...asArguments(listening(port)),
        '--cluster-port',
        String(bus),
        ...QUIET,
        ...secure,
        ...files,
        ...args,
      ]);
    },
    sentinel: async ({ host: watchedHost, port: watched }, quorum, downAfterMs = 1_000) => {
      const port = await freePort();
      const file = join(folder, `sentinel-${port}.conf`);
      const config = [
        ...listening(port),
        ...(security === undefined ? [] : SENTINELS_NAME),
        'bind 127.0.0.1',
        `dir ${folder}`,
        `sentinel monitor main ${watchedHost} ${watched} ${quorum}`,
        `sentinel down-after-milliseconds main ${downAfterMs}`,
        'sentinel failover-timeout main 5000',
      ];
      await writeFile(file, `${config.join('\n')}\n`);
      return start(port, [file, '--sentinel']);
    },
    ...(security !== undefined && { tls: security.tls }),
    stop: async () => {
      await Promise.all(started.map(({ kill }) => kill()));
      await ground.close();
    },
  };
};

/** The host that the certificate of every server bears. */
const NAME = 'localhost';
/** By which a server is known to Sentinels, and in a cluster. */
const NAMED = [`replica-announce-ip ${NAME}`, `cluster-announce-hostname ${NAME}`];
const SENTINELS_NAME = ['sentinel resolve-hostnames yes', 'sentinel announce-hostnames yes'];

/** A certificate for all servers and one for clients, in files and as settings. */
const securityIn = async (folder: string) => {
  const authority = createAuthority('redis');
  const [server, client] = [authority.issue(NAME), authority.issue('point-alarm')];
  const file = async (name: string, content: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
  const ca = await file('ca.pem', authority.cert);
  const [cert, key] = [await file('server.pem', server.cert), await file('server.key', server.key)];
  const files = [`tls-cert-file ${cert}`, `tls-key-file ${key}`, `tls-ca-cert-file ${ca}`, 'tls-auth-clients yes'];
  return {
    tls: { ca: authority.cert, ...client },
    listening: (port: number) => ['port 0', `tls-port ${port}`, ...files, 'tls-replication yes', 'tls-cluster yes'],
  };
};

const askerOf =
  (url: string, tls?: Certificates): RedisProcess['ask'] =>
  async (...command) => {
    const client = createClient({
      url,
      socket: { reconnectStrategy: false, connectTimeout: 1_000, ...(tls !== undefined && { tls: true, ...tls }) },
    }).on('error', () => undefined);
    try {
      await client.connect();
      return await client.sendCommand([...command]);
    } finally {
      client.destroy();
    }
  };
