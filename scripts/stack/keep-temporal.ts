import * as E from 'fp-ts/Either';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from './environment';
import { lineOf } from './fault';
import type { Ground } from './ground';
import { inspectTemporal, keptPath, type TemporalCommand } from './temporal-command';

/**
 * Keeps the command that `make` puts at the path it is given. It works in a folder of its own beside the kept one and the
 * result is renamed into place, so that two at once do each other no harm, and half a file is never found.
 *
 * Errors: left is why it could not be made; an abort is thrown.
 */
export const keepTemporal = async (
  env: Environment,
  { signal, watchdog }: Ground,
  make: (path: string) => Promise<void>,
): Promise<E.Either<string, TemporalCommand>> => {
  const kept = keptPath(env);
  const folder = makeFolder(kept);
  if (E.isLeft(folder)) return folder;
  watchdog.remove(folder.right);
  const path = join(folder.right, 'temporal');
  try {
    await make(path);
    chmodSync(path, 0o755);
    const found = await inspectTemporal(path, env);
    if (E.isLeft(found)) return found;
    renameSync(path, kept);
    return E.right({ ...found.right, path: kept });
  } catch (thrown) {
    signal.throwIfAborted();
    return E.left(lineOf(thrown));
  } finally {
    rmSync(folder.right, { recursive: true, force: true });
  }
};

const makeFolder = (kept: string): E.Either<string, string> =>
  E.tryCatch(
    () => {
      mkdirSync(dirname(kept), { recursive: true });
      return mkdtempSync(join(dirname(kept), `.${basename(kept)}-`));
    },
    (thrown) => `cannot write to ${dirname(kept)}: ${lineOf(thrown)}`,
  );
