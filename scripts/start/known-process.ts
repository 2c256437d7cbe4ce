import { readFileSync } from 'node:fs';

/** A process; `born` tells it from a later one with the same id, where the system says when it began, else it is empty. */
export interface KnownProcess {
  readonly pid: number;
  readonly born: string;
}

/** The process that has this id now. */
export const knownProcess = (pid: number): KnownProcess => ({ pid, born: statOf(pid)?.born ?? '' });

/** Whether it is that very process that runs. */
export const isAlive = ({ pid, born }: KnownProcess): boolean => exists(pid) && (statOf(pid)?.born ?? '') === born;

/**
 * The npm that runs us, the parent of its shell or of us; undefined where the system does not say. Neither passes on what
 * it cannot: npm a kill -9, the shell a SIGTERM.
 */
export const npmAbove = (): KnownProcess | undefined => {
  const parent = statOf(process.ppid);
  if (parent === undefined) return undefined;
  return knownProcess(/^(npm|node)/.test(parent.name) ? process.ppid : parent.parent);
};

const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
};

interface Stat {
  readonly name: string;
  readonly parent: number;
  readonly born: string;
}

/** Linux: `pid (name) state parent ...`; the name may hold anything, and the 22nd field is the clock ticks since boot. */
const statOf = (pid: number): Stat | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return { name, parent: Number(fields[1]), born: fields[19] ?? '' };
  } catch {
    return undefined;
  }
};
