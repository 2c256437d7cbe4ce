import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../../dev/stack/free-ports';
import { startRunning, type Running } from '../../../dev/stack/running';
import { locate } from '../../cluster/hosts/find-services';
import { openGround } from '../ground';

/** A PostgreSQL of a test, empty, which may be killed and started again. */
export interface OwnPostgres extends Omit<Running, 'stop'> {
  /** The rows that a statement answers, by a connection of its own. */
  readonly ask: <Row = Readonly<Record<string, unknown>>>(
    sql: string,
    values?: ReadonlyArray<unknown>,
  ) => Promise<ReadonlyArray<Row>>;
  /** The folder of its files. */
  readonly data: string;
  readonly stop: () => Promise<void>;
}

interface PostgresPlan {
  /** The size of a disk of its own, in memory. Mounting it needs root. */
  readonly diskMib?: number;
}

const USER = 'tester';
export const PASSWORD = 'secret';

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const asNobody = (command: string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  isRoot
    ? ['setpriv', ['--reuid=nobody', '--regid=nogroup', '--clear-groups', '--', command, ...args]]
    : [command, args];

export const startOwnPostgres = async ({ diskMib }: PostgresPlan = {}): Promise<OwnPostgres> => {
  const found = locate('postgres', process.env);
  if (found === undefined)
    throw new Error('there is no postgres: install 14 or newer, on Debian apt-get install postgresql');
  // Its other commands are beside the file itself, not beside a link to it.
  const bin = dirname(realpathSync(found));
  const ground = openGround('postgres');
  const { folder } = ground;
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  if (diskMib !== undefined) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMib}m`, 'postgres', disk]);
  const nobody = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
  if (isRoot) for (const one of [folder, disk]) chownSync(one, nobody, -1);
  const data = join(disk, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  const options = '--no-sync -E UTF8 -A scram-sha-256'
    .split(' ')
    .concat('-D', data, '-U', USER, `--pwfile=${passwordFile}`);
  const [initdb, given] = asNobody(join(bin, 'initdb'), options);
  execFileSync(initdb, given, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const port = await freePort();
  const url = `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const ask = async <Row>(sql: string, values: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 20_000, query_timeout: 20_000 });
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows as ReadonlyArray<Row>;
    } finally {
      await client.end();
    }
  };
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', `port=${port}`, '-c', 'unix_socket_directories='];
  const [command, args] = asNobody(join(bin, 'postgres'), ['-D', data, ...settings]);
  const plan = { name: 'PostgreSQL', command, args, folder, env: process.env, log: join(folder, 'postgres.log'), url };
  const running = await startRunning({ ...plan, probe: async () => void (await ask('SELECT 1')) }, ground);
  await running.ready();
  /** By SIGQUIT it ends at once, as after a crash, and takes its children with it. */
  const kill = async (): Promise<void> => {
    running.child().signal('SIGQUIT');
    await running.child().exited;
  };
  /** Its processes, each of which has a session of its own. */
  const all = (): ReadonlyArray<number> => {
    const { pid } = running.child();
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    return [pid, ...children];
  };
  return {
    ...running,
    ask,
    data,
    kill,
    freeze: () => all().forEach((pid) => process.kill(pid, 'SIGSTOP')),
    // The first one last: it forgets a child that ends.
    thaw: () => [...all()].reverse().forEach((pid) => process.kill(pid, 'SIGCONT')),
    stop: async () => {
      await kill();
      if (diskMib !== undefined) execFileSync('umount', ['--lazy', disk]);
      await ground.close();
    },
  };
};
