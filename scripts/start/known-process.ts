import { readFileSync } from 'node:fs';

/** A process; `born` tells it from a later one with the same id, where the system says when it began, else it is empty. */
export interface KnownProcess {
  readonly pid: number;
  readonly born: string;
}

/** The process that has this id now. */
export const knownProcess = (pid: number): KnownProcess => ({ pid, born: bornAt(pid) });

/** Whether it is that very process that runs. */
export const isAlive = ({ pid, born }: KnownProcess): boolean => exists(pid) && bornAt(pid) === born;

const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
};

/** Linux: the 22nd field of stat, clock ticks since boot; the second one, the name in parentheses, may hold anything. */
const bornAt = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
};
