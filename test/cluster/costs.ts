import { readFileSync } from 'node:fs';
import type { ClusterStack } from './cluster-stack';
import { DATABASES } from './hosts/temporal-schema';

/** What the parts of a cluster have used up to a moment; the difference of two is what the time between cost. */
export interface Used {
  /** Processor time (ms) by part. */
  readonly processorMs: Readonly<Record<string, number>>;
  /** Of PostgreSQL, by what is counted. */
  readonly database: Readonly<Record<string, number>>;
}

/** A tick of `/proc/<pid>/stat`. */
const TICK_MS = 10;

export const used = async (of: ClusterStack): Promise<Used> => {
  const processorMs: Record<string, number> = {};
  for (const { host } of [...of.temporal, ...of.redis, of.database, of.balancer, ...machinesOf(of)])
    for (const pid of host.processes()) {
      const found = processOf(pid);
      if (found === undefined) continue;
      const part = partOf(host.name, found.command);
      processorMs[part] = (processorMs[part] ?? 0) + found.ms;
    }
  return { processorMs, database: await databaseCounts(of) };
};

const machinesOf = ({ apis, workers }: ClusterStack) => [...apis, ...workers].map(({ machine }) => machine);

/** The part of a process, of whatever host of its kind. */
const partOf = (host: string, command: string): string => {
  const service = /--service (\w+)/u.exec(command)?.[1];
  if (service !== undefined) return `Temporal ${service}`;
  if (command.includes('sentinel')) return 'Sentinels';
  const kind = host.replace(/-\d$/u, '');
  return NAMES[kind] ?? kind;
};

const NAMES: Readonly<Record<string, string>> = {
  database: 'PostgreSQL',
  balancer: 'HAProxy',
  redis: 'Redis, both',
  api: 'API',
  worker: 'worker',
};

/** Processor time of a process, and of those of its children that ended; nothing where it has ended itself. */
const processOf = (pid: number): { readonly ms: number; readonly command: string } | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [utime, stime, ofChildren, ofChildrenInSystem] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15);
    const ticks = [utime, stime, ofChildren, ofChildrenInSystem].map(Number).reduce((sum, one) => sum + one, 0);
    return { ms: ticks * TICK_MS, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') };
  } catch {
    return undefined;
  }
};

const COUNTS = `
  select 'transactions', sum(xact_commit) from pg_stat_database
  union all select 'rows inserted', sum(tup_inserted) from pg_stat_database
  union all select 'rows updated', sum(tup_updated) from pg_stat_database
  union all select 'rows deleted', sum(tup_deleted) from pg_stat_database
  union all select 'rows written for visibility', sum(tup_inserted + tup_updated + tup_deleted) from pg_stat_database
    where datname = '${DATABASES.visibility}'
  union all select 'log, bytes', wal_bytes from pg_stat_wal
  union all select 'size, bytes', sum(pg_database_size(datname)) from pg_database`;

const databaseCounts = async ({ cluster: { postgres } }: ClusterStack): Promise<Readonly<Record<string, number>>> => {
  const answer = await postgres.run('psql', '-d', DATABASES.temporal, '-qAt', '-F', ':', '-c', COUNTS);
  const rows = answer
    .trim()
    .split('\n')
    .map((line) => line.split(':'));
  return Object.fromEntries(rows.map(([name = '', count]) => [name, Number(count)]));
};

/** The difference of two uses, of `updates` each; what `idle` shows that passing time alone costs is taken off. */
export const costOf = (
  { from, to, seconds }: Span,
  idle: Span,
  updates: number,
): { readonly processorMs: Readonly<Record<string, number>>; readonly database: Readonly<Record<string, number>> } => {
  const each = (kind: keyof Used): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Object.keys(to[kind]).map((name) => {
        const perSecond = ((idle.to[kind][name] ?? 0) - (idle.from[kind][name] ?? 0)) / idle.seconds;
        const grown = (to[kind][name] ?? 0) - (from[kind][name] ?? 0);
        return [name, (grown - perSecond * seconds) / updates];
      }),
    );
  return { processorMs: each('processorMs'), database: each('database') };
};

/** What was used from one moment to another. */
export interface Span {
  readonly from: Used;
  readonly to: Used;
  readonly seconds: number;
}

export const during = async (of: ClusterStack, work: () => Promise<unknown>): Promise<Span> => {
  const from = await used(of);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  return { from, to: await used(of), seconds };
};
