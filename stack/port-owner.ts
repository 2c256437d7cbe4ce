import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { statOf } from './pid-lock.cjs';

/**
 * Whether a process of the group of process `leader` listens on `port`: what answers there may be somebody else's. Undefined
 * where the system does not show it.
 */
export const listensOn = (leader: number, port: number): boolean | undefined => {
  try {
    const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listenersIn(`/proc/${leader}/net/${table}`, port)));
    return groupOf(leader).some((pid) => {
      const fds = `/proc/${pid}/fd`;
      return readdirSync(fds).some((fd) => sockets.has(linkOf(`${fds}/${fd}`)));
    });
  } catch {
    return undefined;
  }
};

const LISTENS = '0A';

/** The sockets that listen on `port`, by the names that descriptors have for them. */
const listenersIn = (table: string, port: number): ReadonlyArray<string> =>
  readFileSync(table, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, local = '', , state]) => state === LISTENS && Number.parseInt(local.split(':')[1] ?? '', 16) === port)
    .map((fields) => `socket:[${fields[9] ?? ''}]`);

const groupOf = (leader: number): ReadonlyArray<number> =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.group === leader);

/** A descriptor may be closed meanwhile. */
const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};
