// A lock file that names living processes. Plain JavaScript, since stack/commands/bootstrap.mjs needs it before anything is installed.
const { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');

/**
 * A process; `born` distinguishes it from a later one with the same id. Empty where the system does not show its start.
 * @typedef {{ readonly pid: number, readonly born: string }} KnownProcess
 */

/**
 * Linux: `pid (name) state parent group ...`; the name may hold anything. The 14th and 15th field are clock ticks in user and system
 * mode, the 22nd those from boot to its start, the 24th its pages in memory.
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

/** Whether it is that very process that runs. @type {(known: KnownProcess) => boolean} */
const isAlive = ({ pid, born }) => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  const stat = statOf(pid);
  return stat?.state !== 'Z' && (stat?.born ?? '') === born; // nobody may have fetched the exit code of an orphan
};

/**
 * Takes the lock for these processes, unless one of those that hold it is alive: then it returns those. Exactly one of
 * several at once succeeds; a dead holder leaves nothing to remove by hand. Errors: the file cannot be written.
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
      // Another process may have taken the dead holder's lock meanwhile: its own is put back.
      if (does(() => renameSync(file, aside), 'ENOENT') && holdersIn(aside).some(isAlive))
        does(() => linkSync(aside, file), 'EEXIST');
    }
  } finally {
    for (const path of [draft, aside]) rmSync(path, { force: true });
  }
};

/**
 * Names other processes in a lock that is held. Errors: the file cannot be written.
 * @type {(file: string, own: ReadonlyArray<KnownProcess>) => void}
 */
const renameHolders = (file, own) => {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(own));
  renameSync(draft, file);
};

/** Does it; false when it fails by this code. */
const does = (act, code) => {
  try {
    act();
    return true;
  } catch (error) {
    if (error.code !== code) throw error;
    return false;
  }
};

/** A file that is gone, or that nobody can read, belongs to nobody. */
const holdersIn = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).filter((holder) => typeof holder?.pid === 'number');
  } catch {
    return [];
  }
};

module.exports = { isAlive, knownProcess, renameHolders, statOf, takeLock };
