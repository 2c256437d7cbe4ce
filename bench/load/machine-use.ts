import { readFileSync, statSync } from 'node:fs';
import type { Job } from './job';

/** How much of the machine was used up to a moment. */
interface Use {
  /** CPU seconds by part; empty without /proc. */
  readonly seconds: Readonly<Record<string, number>>;
  /** CPU seconds of everything on the machine. */
  readonly all: number | undefined;
  readonly resident: Readonly<Record<string, number>>;
  readonly fileBytes: number;
}

/** Clock ticks a second and bytes a page, as Linux tells them to programs on all our machines. */
const TICKS = 100;
const PAGE = 4_096;

export const useOf = ({ processes, files }: Pick<Job, 'processes' | 'files'>): Use => ({
  seconds: { ...eachPart(processes, secondsOf), ...(hasProc && { load: ownSeconds() }) },
  all: secondsOfAll(),
  resident: { ...eachPart(processes, residentOf), load: process.memoryUsage.rss() },
  fileBytes: files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0),
});

/** Cores used between two moments `seconds` apart, by part; `others` is what no part used. */
export const coresBetween = (before: Use, after: Use, seconds: number): Readonly<Record<string, number>> => {
  const used = Object.entries(after.seconds).map(
    ([part, now]) => [part, (now - (before.seconds[part] ?? now)) / seconds] as const,
  );
  const ours = used.reduce((sum, [, cores]) => sum + cores, 0);
  const all = after.all === undefined || before.all === undefined ? undefined : (after.all - before.all) / seconds;
  return Object.fromEntries([...used, ...(all === undefined ? [] : [['others', Math.max(0, all - ours)] as const])]);
};

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
const hasProc = textOf('/proc/self/stat') !== undefined;

const eachPart = (
  processes: Job['processes'],
  read: (pid: number) => number | undefined,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(processes).flatMap(([part, pids]) => {
      const values = pids.flatMap((pid) => read(pid) ?? []);
      return values.length === 0 ? [] : [[part, values.reduce((sum, value) => sum + value, 0)]];
    }),
  );

const ownSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** `pid (name) state ...`: the 14th and 15th field are ticks in user and system mode, the 24th is pages. */
const fieldsOf = (pid: number): ReadonlyArray<number> | undefined => {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat
    ?.slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
};

const secondsOf = (pid: number): number | undefined => {
  const fields = fieldsOf(pid);
  return fields && ((fields[11] ?? 0) + (fields[12] ?? 0)) / TICKS;
};

const residentOf = (pid: number): number | undefined => {
  const fields = fieldsOf(pid);
  return fields && (fields[21] ?? 0) * PAGE;
};

/** `cpu user nice system idle iowait irq softirq steal ...`; ticks of all cores. What was stolen counts as used. */
const secondsOfAll = (): number | undefined => {
  const ticks = /^cpu +(.+)$/mu
    .exec(textOf('/proc/stat') ?? '')?.[1]
    ?.split(' ')
    .map(Number);
  if (ticks === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
  return (user + nice + system + irq + softirq + steal) / TICKS;
};
