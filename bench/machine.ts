import { readFileSync, statSync } from 'node:fs';
import type { BenchStack } from './stack';

/** The use of the machine up to a moment, by process; 0 without /proc. */
export const useOf = ({ processes, database }: BenchStack) => {
  const stats = Object.entries(processes).map(([name, pids]) => ({ name, all: pids.map(statOf) }));
  const sums = (of: 'cpuSeconds' | 'megabytes'): Readonly<Record<string, number>> =>
    Object.fromEntries(stats.map(({ name, all }) => [name, all.reduce((sum, one) => sum + one[of], 0)]));
  const sizes = database.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return {
    /** ms of `performance.now()`. */
    at: performance.now(),
    cpuSeconds: sums('cpuSeconds'),
    allCpuSeconds: allCpuSeconds(),
    /** Resident memory. */
    megabytes: sums('megabytes'),
    databaseBytes: sizes.reduce((sum, size) => sum + size, 0),
  };
};

export type Use = ReturnType<typeof useOf>;

/** Cores used between two moments, by process; `others` is what is not of this benchmark. */
export const coresBetween = (before: Use, after: Use): Readonly<Record<string, number>> => {
  const seconds = (after.at - before.at) / 1_000;
  const used = Object.entries(after.cpuSeconds).map(
    ([name, now]) => [name, (now - (before.cpuSeconds[name] ?? now)) / seconds] as const,
  );
  const ours = used.reduce((sum, [, cores]) => sum + cores, 0);
  const all = (after.allCpuSeconds - before.allCpuSeconds) / seconds;
  return { ...Object.fromEntries(used), others: Math.max(0, all - ours) };
};

/** Clock ticks a second and bytes a page, as Linux reports them to programs. */
const TICKS = 100;
const PAGE = 4_096;

/** The numbers of a text of /proc behind what `start` matches. */
const numbersIn = (path: string, start: RegExp): ReadonlyArray<number> => {
  try {
    return readFileSync(path, 'utf8').replace(start, '').split(/\s/u).map(Number);
  } catch {
    return [];
  }
};

/** `pid (name) state ...`: the 14th and 15th field are ticks in user and system mode, the 24th is pages. */
const statOf = (pid: number) => {
  const fields = numbersIn(`/proc/${pid}/stat`, /^.*\) /su);
  return { cpuSeconds: ((fields[11] ?? 0) + (fields[12] ?? 0)) / TICKS, megabytes: ((fields[21] ?? 0) * PAGE) / 1e6 };
};

/** `cpu user nice system idle iowait irq softirq steal ...`; ticks of all cores. What was stolen counts as used. */
const allCpuSeconds = (): number => {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = numbersIn('/proc/stat', /^cpu +/u);
  return (user + nice + system + irq + softirq + steal) / TICKS;
};
