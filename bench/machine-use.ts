import { readFileSync, statSync } from 'node:fs';
import type { Job } from './job';

/** The use of the machine up to a moment. */
interface Use {
  /** CPU seconds by process; empty without /proc. */
  readonly seconds: Readonly<Record<string, number>>;
  /** CPU seconds of everything on the machine. */
  readonly all: number | undefined;
  readonly resident: Readonly<Record<string, number>>;
  readonly fileBytes: number;
}

/** Clock ticks a second and bytes a page, as Linux reports them to programs. */
const TICKS = 100;
const PAGE = 4_096;

export const useOf = ({ processes, files }: Pick<Job, 'processes' | 'files'>): Use => {
  const { user, system } = process.cpuUsage();
  return {
    seconds: { ...byName(processes, secondsOf), ...(hasProc && { load: (user + system) / 1e6 }) },
    all: secondsOfAll(),
    resident: { ...byName(processes, residentOf), load: process.memoryUsage.rss() },
    fileBytes: files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0),
  };
};

/** Cores used between two moments `seconds` apart, by process; `others` is the rest. */
export const coresBetween = (before: Use, after: Use, seconds: number): Readonly<Record<string, number>> => {
  const used = Object.entries(after.seconds).map(
    ([name, now]) => [name, (now - (before.seconds[name] ?? now)) / seconds] as const,
  );
  const ours = used.reduce((sum, [, cores]) => sum + cores, 0);
  if (after.all === undefined || before.all === undefined) return Object.fromEntries(used);
  return { ...Object.fromEntries(used), others: Math.max(0, (after.all - before.all) / seconds - ours) };
};

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
const hasProc = textOf('/proc/self/stat') !== undefined;

const byName = (
  processes: Job['processes'],
  read: (fields: ReadonlyArray<number>) => number,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(processes).flatMap(([name, pids]) => {
      const values = pids.flatMap(statsOf).map(read);
      return values.length === 0 ? [] : [[name, values.reduce((sum, value) => sum + value, 0)]];
    }),
  );

/** `pid (name) state ...`: the 14th and 15th field are ticks in user and system mode, the 24th is pages. */
const statsOf = (pid: number): ReadonlyArray<ReadonlyArray<number>> => {
  const [, text] = /^.*\) (.*)$/su.exec(textOf(`/proc/${pid}/stat`) ?? '') ?? [];
  return text === undefined ? [] : [text.split(' ').map(Number)];
};
const secondsOf = (fields: ReadonlyArray<number>): number => ((fields[11] ?? 0) + (fields[12] ?? 0)) / TICKS;
const residentOf = (fields: ReadonlyArray<number>): number => (fields[21] ?? 0) * PAGE;

/** `cpu user nice system idle iowait irq softirq steal ...`; ticks of all cores. What was stolen counts as used. */
const secondsOfAll = (): number | undefined => {
  const [, text] = /^cpu +(.+)$/mu.exec(textOf('/proc/stat') ?? '') ?? [];
  if (text === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = text.split(' ').map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
};
