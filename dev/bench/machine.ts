import { statSync } from 'node:fs';
import { cpus } from 'node:os';
import { statOf } from '../../process/pid-lock.cjs';
import type { BenchStack } from './stack';

/**
 * The processor time and the resident memory of the processes, by name; both are 0 without /proc. Also the processor time of
 * the machine, and the size of the database.
 */
export const resourceUseOf = ({ processes, database }: BenchStack) => {
  const stats = Object.entries(processes).map(([name, pids]) => ({ name, all: pids.map(useOfProcess) }));
  const sums = (of: 'cpuSeconds' | 'megabytes'): Readonly<Record<string, number>> =>
    Object.fromEntries(stats.map(({ name, all }) => [name, all.reduce((sum, one) => sum + one[of], 0)]));
  const sizes = database.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return {
    /** When this was read (ms of `performance.now()`). */
    at: performance.now(),
    cpuSeconds: sums('cpuSeconds'),
    allCpuSeconds: allCpuSeconds(),
    /** Resident memory. */
    megabytes: sums('megabytes'),
    databaseBytes: sizes.reduce((sum, size) => sum + size, 0),
  };
};

export type ResourceUse = ReturnType<typeof resourceUseOf>;

/** The cores that each process used between two readings. `others` are programs that are no part of this benchmark. */
export const coresBetween = (before: ResourceUse, after: ResourceUse): Readonly<Record<string, number>> => {
  const seconds = (after.at - before.at) / 1_000;
  const used = Object.entries(after.cpuSeconds).map(
    ([name, now]) => [name, (now - (before.cpuSeconds[name] ?? now)) / seconds] as const,
  );
  const ours = used.reduce((sum, [, cores]) => sum + cores, 0);
  const all = (after.allCpuSeconds - before.allCpuSeconds) / seconds;
  return { ...Object.fromEntries(used), others: Math.max(0, all - ours) };
};

/** Clock ticks per second, and bytes per page of memory, on Linux. */
const TICKS = 100;
const PAGE = 4_096;

const useOfProcess = (pid: number) => {
  const { ticks, pages } = statOf(pid) ?? { ticks: 0, pages: 0 };
  return { cpuSeconds: ticks / TICKS, megabytes: (pages * PAGE) / 1e6 };
};

const allCpuSeconds = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + (user + nice + sys + irq) / 1_000, 0);
