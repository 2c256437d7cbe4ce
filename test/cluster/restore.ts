import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../chaos/probe';
import type { ClusterStack } from './cluster-stack';
import { DATABASES, FRONTEND_PORT } from './hosts/temporal-host';
import { startAgain } from './machine';

// The commands are those of docs/backup-restore.md.

const STOPS_WITHIN_MS = 30_000;
const SOON_MS = 60_000;

/** A copy of PostgreSQL's files, from which it can go on to any later point that its archive holds. */
export const backUpPostgres = async (
  { cluster: { postgres }, folder }: ClusterStack,
  name: string,
): Promise<string> => {
  const backup = join(folder, `postgres-backup-${name}`);
  await postgres.host.run('install', '--directory', '--mode=0777', backup);
  const into = join(backup, 'data');
  await postgres.run('pg_basebackup', '--pgdata', into, '--checkpoint=fast', '--wal-method=stream');
  return into;
};

/** Names this moment, and waits until the archive reaches beyond it. */
export const markPostgres = async ({ cluster: { postgres } }: ClusterStack, point: string): Promise<void> => {
  const ask = async (sql: string): Promise<string> =>
    (await postgres.run('psql', '-d', DATABASES.temporal, '-qAtc', sql)).trim();
  await ask(`select pg_create_restore_point('${point}')`);
  const segment = await ask('select pg_walfile_name(pg_switch_wal())');
  await eventually(
    () => ask('select last_archived_wal from pg_stat_archiver'),
    (archived) => archived >= segment,
    SOON_MS,
  );
};

/** Takes PostgreSQL back to a `point`. Nothing that knows a later state may run meanwhile. */
export const restorePostgres = async (of: ClusterStack, backup: string, point: string): Promise<void> => {
  const { cluster, apis, workers } = of;
  const { postgres, temporal } = cluster;
  for (const one of [...apis, ...workers]) await one.terminate();
  await Promise.all(temporal.map(({ own }) => own.stop(STOPS_WITHIN_MS)));
  await postgres.own.stop(STOPS_WITHIN_MS);

  await postgres.host.run('rm', '-r', postgres.data);
  await postgres.host.run('cp', '-a', backup, postgres.data);
  const recovery = [
    `restore_command = 'cp ${postgres.archive}/%f %p'`,
    `recovery_target_name = '${point}'`,
    `recovery_target_action = 'promote'`,
  ];
  await postgres.host.run(
    'sh',
    '-c',
    `cat >> ${postgres.data}/postgresql.auto.conf <<'END'\n${recovery.join('\n')}\nEND`,
  );
  await postgres.host.run('touch', `${postgres.data}/recovery.signal`);
  await startAgain(postgres.own);
  await eventually(
    async () => (await postgres.run('psql', '-d', DATABASES.temporal, '-qAtc', 'select pg_is_in_recovery()')).trim(),
    (inRecovery) => inRecovery === 'f',
    SOON_MS,
  );

  await startAgain(...temporal.map(({ own }) => own));
  for (const one of [...workers, ...apis]) await one.start();
  for (const one of [...workers, ...apis]) await one.ready();
};

/** A copy of what Redis holds. */
export const backUpRedis = async ({ cluster: { redis }, folder }: ClusterStack): Promise<string> => {
  const { host } = redis.servers[await redis.primaryNow()];
  const backup = join(folder, 'redis-backup.rdb');
  await host.run(redis.cli, '-h', host.address, '--rdb', backup);
  return backup;
};

/** Takes Redis back to a copy. The service may run meanwhile: events wait in their nodes. */
export const restoreRedis = async ({ cluster: { redis } }: ClusterStack, backup: string): Promise<void> => {
  const at = await redis.primaryNow();
  const [primary, replica] = [redis.servers[at], redis.servers[at === 0 ? 1 : 0]];
  // The Sentinels first: they would make the replica the primary.
  for (const { own } of [...redis.sentinels, replica, primary]) await own.stop(STOPS_WITHIN_MS);
  for (const { folder } of [primary, replica]) rmSync(join(folder, 'appendonlydir'), { recursive: true });
  await copyFile(backup, join(primary.folder, 'dump.rdb'));

  // With `appendonly yes` it would begin empty.
  writeFileSync(primary.file, readFileSync(primary.file, 'utf8').replace(/^appendonly yes$/mu, 'appendonly no'));
  await startAgain(primary.own);
  const ask = (...command: ReadonlyArray<string>): Promise<string> =>
    primary.host.run(redis.cli, '-h', primary.host.address, ...command);
  await ask('CONFIG', 'SET', 'appendonly', 'yes');
  await eventually(
    () => ask('INFO', 'persistence'),
    (info) => info.includes('aof_enabled:1') && info.includes('aof_rewrite_in_progress:0'),
    SOON_MS,
  );
  await ask('CONFIG', 'REWRITE');
  await startAgain(replica.own);
  await startAgain(...redis.sentinels.map(({ own }) => own));
};

/** `pas republish --all`, on the host of an API; its output. */
export const republish = async ({ cluster, apis, folder }: ClusterStack, name: string): Promise<string> => {
  const temporal = `TEMPORAL_ADDRESS=${cluster.balancer.host.address}:${FRONTEND_PORT}`;
  const pas = [
    process.execPath,
    'dist/cli/main.js',
    'republish',
    '--all',
    '--journal',
    join(folder, `${name}.journal`),
  ];
  return apis[0].machine.host.run('env', temporal, ...pas);
};
