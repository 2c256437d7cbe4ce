import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Ground } from '../../../stack/ground';
import { startOwnServer, type OwnServer } from '../../../stack/own-server';
import { outputOf } from '../../../stack/run-command';
import type { Host, Network } from './network';

/** PostgreSQL on `host`, whose databases are those of the user `temporal`. */
export interface Postgres {
  readonly host: Host;
  readonly own: OwnServer;
  /** The folder of its files, a file system of `DISK_MIB` that only the host sees. */
  readonly disk: string;
}

export const POSTGRES_PORT = 5432;
export const POSTGRES_USER = 'temporal';
export const POSTGRES_PASSWORD = 'temporal';
export const MAX_CONNECTIONS = 100;
const DISK_MIB = 512;

/** PostgreSQL refuses to run as root. */
const AS_NOBODY = ['--reuid=nobody', '--regid=nogroup', '--clear-groups', '--'];

/** Brings up PostgreSQL on `host`, on a disk of its own in memory. `bin` is the folder of its commands. */
export const bringUpPostgres = async (
  { bin, host, network, folder }: { bin: string; host: Host; network: Network; folder: string },
  ground: Ground,
): Promise<Postgres> => {
  const disk = join(folder, 'postgres');
  const data = join(disk, 'data');
  mkdirSync(disk, { recursive: true });
  await host.run('mount', '-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=0777`, 'postgres', disk);
  const passwordFile = join(folder, 'postgres-password');
  writeFileSync(passwordFile, POSTGRES_PASSWORD);
  const as = (...line: ReadonlyArray<string>): ReadonlyArray<string> => [...AS_NOBODY, ...line];
  const initdb = as(join(bin, 'initdb'), '-D', data, '-U', POSTGRES_USER, '-A', 'scram-sha-256', '--no-sync', '-E');
  await host.run('setpriv', ...initdb, 'UTF8', `--pwfile=${passwordFile}`);
  await host.run('sh', '-c', `echo 'host all all ${network.subnet} scram-sha-256' >> ${join(data, 'pg_hba.conf')}`);
  const settings = {
    listen_addresses: host.address,
    port: POSTGRES_PORT,
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    max_wal_size: '128MB',
    min_wal_size: '32MB',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const line = host.on({ command: 'setpriv', args: as(join(bin, 'postgres'), '-D', data, ...options) });
  const address = `${host.address}:${POSTGRES_PORT}`;
  const probe = async (): Promise<void> => {
    const asked = ['-h', host.address, '-p', String(POSTGRES_PORT), '-t', '2'];
    await outputOf(join(bin, 'pg_isready'), asked, process.env);
  };
  const log = join(folder, 'postgres.log');
  const plan = { name: 'postgres', ...line, folder, env: process.env, log, address, probe };
  const { own } = await startOwnServer(() => Promise.resolve(plan), ground);
  return { host, own, disk };
};
