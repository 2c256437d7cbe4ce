import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../stack/project-root';
import type { Verdict } from './check-history';
import type { Waits } from './waits';

/** A line of the table. */
export interface Row {
  readonly name: string;
  readonly seed: number;
  readonly nodes: number;
  readonly recoveryMs: number;
  readonly verdict: Verdict;
  readonly waits?: Waits;
}

const rows: Row[] = [];

/** Keeps `row` for this file's table, and for good in `reports/chaos.jsonl`. */
export const keepRow = (row: Row): Row => {
  rows.push(row);
  const { name, seed, nodes, recoveryMs, verdict, waits } = row;
  const line = { at: new Date().toISOString(), name, seed, nodes, recoveryMs, ...countsOf(verdict), waits };
  mkdirSync(join(projectRoot, 'reports'), { recursive: true });
  appendFileSync(join(projectRoot, 'reports/chaos.jsonl'), `${JSON.stringify(line)}\n`);
  return row;
};

export const hasRows = (): boolean => rows.length > 0;

/** The table of everything kept so far. */
export const tableOf = (kept: ReadonlyArray<Row> = rows): string => {
  const head = [...['scenario', 'nodes', 'writes', 'acknowledged', 'refused', 'unknown', 'of them done', 'events']];
  const columns = [...head, 'lost', 'repeated', 'other', 'silence', 'longest', 'p99', 'recovery', 'seed'];
  const lines = kept.map(({ name, nodes, seed, recoveryMs, verdict, waits }) => {
    const counts = countsOf(verdict);
    const { writes, acknowledged, refused, unknown, carriedOut, events, lost, repeated, other } = counts;
    const numbers = [nodes, writes, acknowledged, refused, unknown, carriedOut, events, lost, repeated, other];
    const times = [waits?.silence, waits?.longest, waits?.p99, recoveryMs].map(seconds);
    return [name, ...numbers.map(String), ...times, String(seed)];
  });
  const all = [columns, ...lines];
  const widths = columns.map((_, at) => Math.max(...all.map((line) => (line[at] ?? '').length)));
  return all.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).join('\n');
};

const seconds = (ms: number | undefined): string => (ms === undefined ? '-' : `${(ms / 1_000).toFixed(1)} s`);

const countsOf = ({ breaches, ...counts }: Verdict) => {
  const lost = breaches.filter(({ promise }) => promise === 'lost' || promise === 'torn').length;
  const repeated = breaches.filter(({ promise }) => promise === 'repeated').length;
  return { ...counts, lost, repeated, other: breaches.length - lost - repeated };
};
