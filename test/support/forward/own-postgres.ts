import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { portChooser, testPort } from '../../../stack/free-ports';
import { waitUntil } from '../../../stack/wait-until';
import { locate } from '../../cluster/hosts/find-services';

/** A PostgreSQL of a test, empty, which may be killed and started again. */
export interface OwnPostgres {
  readonly url: string;
  /** The rows that a statement answers, by a connection of its own. */
  readonly ask: <Row = Readonly<Record<string, unknown>>>(
    sql: string,
    values?: ReadonlyArray<unknown>,
  ) => Promise<ReadonlyArray<Row>>;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export const USER = 'tester';
export const PASSWORD = 'secret';

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const asNobody = (command: string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  isRoot
    ? ['setpriv', ['--reuid=nobody', '--regid=nogroup', '--clear-groups', '--', command, ...args]]
    : [command, args];

export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const found = locate('postgres', process.env);
  if (found === undefined)
    throw new Error('there is no postgres: install 14 or newer, on Debian apt-get install postgresql');
  // Its other commands are beside the file itself, not beside a link to it.
  const bin = dirname(realpathSync(found));
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-postgres-'));
  if (isRoot) chownSync(folder, Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' })), -1);
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  const [initdb, options] = asNobody(join(bin, 'initdb'), [
    '-D',
    data,
    '-U',
    USER,
    '--no-sync',
    '-E',
    'UTF8',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
  ]);
  execFileSync(initdb, options, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const port = await portChooser('127.0.0.1')(testPort());
  const url = `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const ask = async <Row>(sql: string, values: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows as ReadonlyArray<Row>;
    } finally {
      await client.end();
    }
  };
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', `port=${port}`, '-c', 'unix_socket_directories='];
    const [command, args] = asNobody(join(bin, 'postgres'), ['-D', data, ...settings]);
    server = spawn(command, args, { stdio: 'ignore', cwd: folder });
    const signal = new AbortController().signal;
    await waitUntil(() => ask('SELECT 1'), { what: 'PostgreSQL', deadlineMs: 30_000, signal });
  };
  /** By SIGQUIT it ends at once, as after a crash, and takes its children with it. */
  const kill = async (): Promise<void> => {
    const ended = server;
    server = undefined;
    if (ended === undefined || ended.exitCode !== null) return;
    ended.kill('SIGQUIT');
    await once(ended, 'exit');
  };
  await start();
  return {
    url,
    ask,
    kill,
    start,
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
