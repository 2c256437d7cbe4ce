import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fault, lineOf } from '../fault';
import type { Ground } from '../ground';
import { isAlive, knownProcess, takeLock, type KnownProcess } from '../process-lock.cjs';

/** Time (ms) to wait for a watchdog that still cleans up after its supervisor. */
const CLEANED_WITHIN_MS = 15_000;

/**
 * Takes `folder` for this process and its watchdog alone, since two servers on the same files destroy them. Returns how to
 * give it back. Errors: a fault when another supervisor holds it, or it cannot be written.
 */
export const lockFolder = async (folder: string, { watchdog, signal }: Ground): Promise<() => void> => {
  const file = join(folder, 'start.lock');
  const own = [process.pid, watchdog.pid ?? process.pid].map(knownProcess);
  const take = (): ReadonlyArray<KnownProcess> | undefined => {
    try {
      return takeLock(file, own);
    } catch (thrown) {
      throw fault(`cannot write to ${folder}: ${lineOf(thrown)}`);
    }
  };
  const deadline = Date.now() + CLEANED_WITHIN_MS;
  for (let holders = take(); holders !== undefined; holders = take()) {
    const [supervisor] = holders;
    if ((supervisor !== undefined && isAlive(supervisor)) || Date.now() > deadline) {
      const pid = holders.find(isAlive)?.pid ?? 0;
      throw fault(`npm start runs already with ${folder} (process ${pid}); stop that one first`);
    }
    await delay(100, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
  return () => {
    rmSync(file, { force: true });
  };
};
