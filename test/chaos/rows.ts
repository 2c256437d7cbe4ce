import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../dev/stack/project-root';
import type { Verdict } from './check-history';
import type { Recorder } from './load/recorder';

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
export const addRow = (row: Row): void => {
  rows.push(row);
  const { name, seed, nodes, recoveryMs, verdict, waits } = row;
  const line = { at: new Date().toISOString(), name, seed, nodes, recoveryMs, ...countsOf(verdict), waits };
  mkdirSync(join(projectRoot, 'reports'), { recursive: true });
  appendFileSync(join(projectRoot, 'reports/chaos.jsonl'), `${JSON.stringify(line)}\n`);
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

/** How long callers waited, in ms. */
export interface Waits {
  /** The longest time without one acknowledged write of anybody. */
  readonly silence: number;
  /** The longest time of one write, from its first try until it was acknowledged. */
  readonly longest: number;
  /** 99 of 100 calls that were acknowledged took no longer. */
  readonly p99: number;
}

/** The waits of a recorder's callers in a span of time, in ms of `performance`. */
export const waitsOf = (
  { tries, writes }: Pick<Recorder, 'tries' | 'writes'>,
  { from, to }: { readonly from: number; readonly to: number },
): Waits => {
  const acknowledged = tries.filter(({ at, called: { status } }) => at >= from && status >= 200 && status < 300);
  const moments = [from, ...acknowledged.map(({ at, called: { ms } }) => at + ms).sort(ascending), to];
  const times = acknowledged.map(({ called: { ms } }) => ms).sort(ascending);
  const waited = writes.filter(({ answer, sentAt }) => answer === 'acknowledged' && sentAt >= from);
  return {
    silence: Math.round(Math.max(...moments.map((at, index) => at - (moments[index - 1] ?? at)))),
    longest: Math.round(Math.max(0, ...waited.map(({ sentAt, answeredAt }) => answeredAt - sentAt))),
    p99: Math.round(times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN),
  };
};

const ascending = (one: number, other: number): number => one - other;
