import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { statOf } from '../../process/pid-lock.cjs';

/**
 * Whether a process of the process group `leader` listens on `port`. If none does, another program may answer on that port.
 * Undefined if the system does not show it.
 */
export const listensOn = (leader: number, port: number): boolean | undefined => {
  if (!existsSync('/proc/self/net/tcp') || isHidden(leader)) return undefined;
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listenersIn(`/proc/${leader}/net/${table}`, port)));
  const fds = groupOf(leader).flatMap((pid) => {
    const folder = `/proc/${pid}/fd`;
    return unlessGone(() => readdirSync(folder), []).map((fd) => `${folder}/${fd}`);
  });
  return fds.some((fd) => sockets.has(unlessGone(() => readlinkSync(fd), '')));
};

/** Only root may look into a process with capabilities, such as a Node.js that may listen on ports below 1024. */
const isHidden = (pid: number): boolean => {
  try {
    readlinkSync(`/proc/${pid}/exe`);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ENOENT'; // ENOENT: it has ended
  }
};

const LISTENS = '0A';

/** The sockets that listen on `port`, named as in the links of /proc/<pid>/fd. */
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

/** The result of `read`, or `gone` if it fails, because a process may end or close a descriptor at any time. */
const unlessGone = <A>(read: () => A, gone: A): A => {
  try {
    return read();
  } catch {
    return gone;
  }
};
