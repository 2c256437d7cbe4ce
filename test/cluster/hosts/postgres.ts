import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import type { Ground } from '../../../dev/stack/ground';
import { startServer, type Running } from '../../../dev/stack/running';
import { outputOf } from '../../../dev/stack/environment';
import type { Host, Network } from './network';

/** PostgreSQL on `host`, whose databases are those of the user `temporal`. */
export interface Postgres {
  readonly host: Host;
  readonly own: Running;
  /** The folder of its files, a file system of `DISK_MIB` that only the host sees. */
  readonly disk: string;
  /** The folder of its database in `disk`. */
  readonly data: string;
  /** Where it keeps its log of writes (WAL) for a restore, when it was asked to. */
  readonly archive: string;
  /** Runs one of PostgreSQL's commands on the host, as the user of the server and of the databases; its output. */
  readonly run: (command: string, ...args: ReadonlyArray<string>) => Promise<string>;
}

export const POSTGRES_PORT = 5432;
export const POSTGRES_USER = 'temporal';
export const POSTGRES_PASSWORD = 'temporal';
export const MAX_CONNECTIONS = 100;
const DISK_MIB = 512;

/** PostgreSQL refuses to run as root. */
const AS_NOBODY = ['--reuid=nobody', '--regid=nogroup', '--clear-groups', '--'];

export interface PostgresPlan {
  /** The folder of its commands. */
  readonly bin: string;
  readonly host: Host;
  readonly network: Network;
  readonly folder: string;
  readonly isArchiving?: boolean;
}

/** Brings up PostgreSQL on `host`, on a disk of its own in memory. */
export const bringUpPostgres = async (
  { bin, host, network, folder, isArchiving = false }: PostgresPlan,
  ground: Ground,
): Promise<Postgres> => {
  const disk = join(folder, 'postgres');
  const data = join(disk, 'data');
  mkdirSync(disk, { recursive: true });
  await host.run('mount', '-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=0777`, 'postgres', disk);
  const archive = join(folder, 'postgres-archive');
  mkdirSync(archive, { recursive: true });
  await chmod(archive, 0o777);
  const passwordFile = join(folder, 'postgres-password');
  writeFileSync(passwordFile, POSTGRES_PASSWORD);
  const as = (...line: ReadonlyArray<string>): ReadonlyArray<string> => [...AS_NOBODY, ...line];
  const initdb = as(join(bin, 'initdb'), '-D', data, '-U', POSTGRES_USER, '-A', 'scram-sha-256', '--no-sync', '-E');
  await host.run('setpriv', ...initdb, 'UTF8', `--pwfile=${passwordFile}`);
  await host.run(
    'sh',
    '-c',
    `for what in all replication; do echo "host $what all ${network.subnet} scram-sha-256"; done >> ${join(data, 'pg_hba.conf')}`,
  );
  const settings = {
    listen_addresses: host.address,
    port: POSTGRES_PORT,
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    max_wal_size: '128MB',
    min_wal_size: '32MB',
    ...(isArchiving && { archive_mode: 'on', archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f` }),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const line = host.on({ command: 'setpriv', args: as(join(bin, 'postgres'), '-D', data, ...options) });
  const address = `${host.address}:${POSTGRES_PORT}`;
  const probe = async (): Promise<void> => {
    const asked = ['-h', host.address, '-p', String(POSTGRES_PORT), '-t', '2'];
    await outputOf(join(bin, 'pg_isready'), asked, process.env);
  };
  const log = join(folder, 'postgres.log');
  const plan = { name: 'postgres', ...line, folder, env: process.env, log, url: address, probe };
  const own = await startServer(() => Promise.resolve(plan), ground);
  const run = (command: string, ...args: ReadonlyArray<string>): Promise<string> => {
    const login = [`PGHOST=${host.address}`, `PGUSER=${POSTGRES_USER}`, `PGPASSWORD=${POSTGRES_PASSWORD}`];
    const path = `PATH=${bin}:${process.env['PATH'] ?? ''}`;
    return host.run('setpriv', ...as('env', path, ...login, command, ...args));
  };
  return { host, own, disk, data, archive, run };
};
