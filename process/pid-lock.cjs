// A lock file that names the processes that hold it. Plain JavaScript: bootstrap.mjs needs it before anything is installed.
const { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');

/**
 * A process. `born` is its start time, which a later process with the same id does not share; empty if the system hides it.
 * @typedef {{ readonly pid: number, readonly born: string }} KnownProcess
 */

/**
 * Reads Linux' /proc/<pid>/stat: `pid (name) state parent group ...`; the name may hold anything. The 14th and 15th field are
 * clock ticks in user and system mode, the 22nd the clock ticks from boot to the start of the process, the 24th its pages in
 * memory.
 * @param {number} pid
 */
const statOf = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const [parent, pages, ticks] = [Number(fields[1]), Number(fields[21]), Number(fields[11]) + Number(fields[12])];
    return { name, state: fields[0], parent, group: Number(fields[2]), born: fields[19] ?? '', ticks, pages };
  } catch {
    return undefined;
  }
};

/** The process that has this id now. @type {(pid: number) => KnownProcess} */
const knownProcess = (pid) => ({ pid, born: statOf(pid)?.born ?? '' });

/** Whether this very process runs, not a later one with its id. @type {(known: KnownProcess) => boolean} */
const isAlive = ({ pid, born }) => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  const stat = statOf(pid);
  return stat?.state !== 'Z' && (stat?.born ?? '') === born; // Z: ended, but nobody has fetched the exit code
};

/**
 * Takes the lock `file` for the processes `own`, and returns undefined. If a holder is alive, it returns the holders instead.
 * If several processes try at once, exactly one succeeds. A lock whose holders are dead is replaced, so nobody has to remove
 * it. Errors: the file cannot be written.
 * @type {(file: string, own: ReadonlyArray<KnownProcess>) => ReadonlyArray<KnownProcess> | undefined}
 */
const takeLock = (file, own) => {
  const [draft, aside] = [`${file}.${process.pid}`, `${file}.${process.pid}.dead`];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(draft, JSON.stringify(own));
  try {
    for (;;) {
      if (does(() => linkSync(draft, file), 'EEXIST')) return undefined;
      const holders = holdersIn(file);
      if (holders.some(isAlive)) return holders;
      // Meanwhile another process may have replaced the dead holders' lock by its own lock, which is then put back.
      if (does(() => renameSync(file, aside), 'ENOENT') && holdersIn(aside).some(isAlive))
        does(() => linkSync(aside, file), 'EEXIST');
    }
  } finally {
    for (const path of [draft, aside]) rmSync(path, { force: true });
  }
};

/**
 * Replaces the processes that a lock names; the caller must hold it. Errors: the file cannot be written.
 * @type {(file: string, own: ReadonlyArray<KnownProcess>) => void}
 */
const renameHolders = (file, own) => {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(own));
  renameSync(draft, file);
};

/** Calls `act`. Returns false if it fails with `code`, and throws any other error. */
const does = (act, code) => {
  try {
    act();
    return true;
  } catch (error) {
    if (error.code !== code) throw error;
    return false;
  }
};

/** The processes that a lock names; none if the file is missing or unreadable. */
const holdersIn = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).filter((holder) => typeof holder?.pid === 'number');
  } catch {
    return [];
  }
};

module.exports = { isAlive, knownProcess, renameHolders, statOf, takeLock };
