import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { statOf } from './pid-lock.cjs';

/**
 * Whether a process of the group of process `leader` listens on `port`: what answers there may be somebody else's. Undefined
 * where the system does not show it.
 */
export const listensOn = (leader: number, port: number): boolean | undefined => {
  if (!existsSync('/proc/self/net/tcp')) return undefined;
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listenersIn(`/proc/${leader}/net/${table}`, port)));
  const fds = groupOf(leader).flatMap((pid) => {
    const folder = `/proc/${pid}/fd`;
    return unlessGone(() => readdirSync(folder), []).map((fd) => `${folder}/${fd}`);
  });
  return fds.some((fd) => sockets.has(unlessGone(() => readlinkSync(fd), '')));
};

const LISTENS = '0A';

/** The sockets that listen on `port`, by the names that descriptors have for them. */
const listenersIn = (table: string, port: number): ReadonlyArray<string> =>
  unlessGone(() => readFileSync(table, 'utf8'), '')
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

/** A process may end, or close a descriptor, meanwhile. */
const unlessGone = <A>(read: () => A, gone: A): A => {
  try {
    return read();
  } catch {
    return gone;
  }
};
