import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fault, lineOf } from '../stack/fault';
import type { Ground } from '../stack/ground';
import { isAlive, knownProcess, type KnownProcess } from './known-process';

/** Who holds a folder: the supervisor, and the watchdog that still cleans up when the supervisor died. */
interface Holder {
  readonly supervisor: KnownProcess;
  readonly watchdog: KnownProcess;
}

const CLEANED_WITHIN_MS = 15_000;

/**
 * Takes `folder` for this process alone, since two servers on the same files destroy them; says how to give it back.
 * A process that died leaves nothing to remove by hand.
 *
 * Errors: a fault when another living one holds it, or it cannot be written.
 */
export const lockFolder = async (folder: string, ground: Ground): Promise<() => void> => {
  const file = join(folder, 'start.lock');
  const own: Holder = {
    supervisor: knownProcess(process.pid),
    watchdog: knownProcess(ground.watchdog.pid ?? process.pid),
  };
  const deadline = Date.now() + CLEANED_WITHIN_MS;
  while (!take(folder, file, own)) {
    const holder = holderIn(file);
    if (holder === undefined) continue;
    if (isAlive(holder.supervisor)) throw fault(takenBy(folder, holder.supervisor.pid));
    if (!isAlive(holder.watchdog)) putAside(file, holder);
    else if (Date.now() > deadline) throw fault(takenBy(folder, holder.watchdog.pid));
    else await delay(100, undefined, { signal: ground.signal }).catch(() => undefined);
    ground.signal.throwIfAborted();
  }
  return () => {
    rmSync(file, { force: true });
  };
};

const takenBy = (folder: string, pid: number): string =>
  `npm start runs already with ${folder} (process ${pid}); stop that one first`;

/** Links a finished file into place: exactly one of several at once succeeds. */
const take = (folder: string, file: string, own: Holder): boolean => {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(draft, JSON.stringify(own));
  } catch (thrown) {
    throw fault(`cannot write to ${folder}: ${lineOf(thrown)}`);
  }
  try {
    linkSync(draft, file);
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false;
    throw fault(`cannot write to ${folder}: ${lineOf(thrown)}`);
  } finally {
    rmSync(draft, { force: true });
  }
};

/** Removes a dead one's lock, but not one that somebody took in its place meanwhile. */
const putAside = (file: string, dead: Holder): void => {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
    if (JSON.stringify(holderIn(aside)) !== JSON.stringify(dead)) linkSync(aside, file);
  } catch {
    // Another process was quicker.
  } finally {
    rmSync(aside, { force: true });
  }
};

/** Undefined when there is none any more. A file that nobody can read belongs to nobody. */
const holderIn = (file: string): Holder | undefined => {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isHolder(parsed) ? parsed : NOBODY;
  } catch (thrown) {
    return thrown instanceof SyntaxError ? NOBODY : undefined;
  }
};

const NOBODY: Holder = { supervisor: { pid: 0, born: 'never' }, watchdog: { pid: 0, born: 'never' } };

const isHolder = (value: unknown): value is Holder =>
  isObject(value) && isProcess(value['supervisor']) && isProcess(value['watchdog']);

const isProcess = (value: unknown): value is KnownProcess =>
  isObject(value) && typeof value['pid'] === 'number' && typeof value['born'] === 'string';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
