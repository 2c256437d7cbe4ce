import type * as E from 'fp-ts/Either';
import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild, type Child } from './child';
import type { Environment } from './environment';
import type { Ground } from './ground';
import { keepTemporal } from './keep-temporal';
import { projectRoot } from './project-root';
import { withProgress } from './report';
import { PINNED_VERSION, type TemporalCommand } from './temporal-command';

/** A download that does not grow for so long is given up. */
const STALLED_MS = 12_000;

/** The Temporal command by the SDK's own download, in a process of its own since it cannot be given up otherwise; then kept. */
export const downloadTemporal = (env: Environment, ground: Ground): Promise<E.Either<string, TemporalCommand>> =>
  keepTemporal(env, ground, async (path) => {
    const folder = join(dirname(path), 'download');
    mkdirSync(folder);
    const plan = {
      name: 'download',
      command: process.execPath,
      args: [join(projectRoot, 'scripts/stack/sdk-download.mjs'), folder, `v${PINNED_VERSION}`],
      folder: projectRoot,
      env,
      log: join(dirname(path), 'download.log'),
    };
    const say = (line: string): void => {
      ground.report('temporal', line);
    };
    const download = async (): Promise<void> => {
      const child = await startChild(plan, ground.watchdog);
      renameSync(join(folder, await downloaded(child, folder, ground.signal)), path);
    };
    await withProgress(say, `downloading Temporal ${PINNED_VERSION} by the SDK`, download, {
      detail: () => `, ${Math.round(bytesIn(folder) / 1e6)} MB`,
    });
  });

/** The name of the file, once the child has made it. */
const downloaded = async (child: Child, folder: string, signal: AbortSignal): Promise<string> => {
  let [bytes, since] = [0, Date.now()];
  while (child.isRunning() && !signal.aborted && Date.now() - since < STALLED_MS) {
    await Promise.race([child.exited, delay(200)]);
    const now = bytesIn(folder);
    if (now > bytes) [bytes, since] = [now, Date.now()];
  }
  const stalled = child.isRunning();
  const { code } = await child.stop(1_000);
  if (stalled) throw new Error(`nothing came for ${STALLED_MS / 1000} s`);
  const file = readdirSync(folder).find((name) => !name.endsWith('.downloading'));
  if (code !== 0 || file === undefined) throw new Error(reasonIn(child.tail()));
  return file;
};

const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

const reasonIn = (log: string): string => {
  const url = /failed to download.*?\((https:[^)]+)\)/.exec(log)?.[1];
  return url === undefined ? 'it failed' : `cannot reach ${url}`;
};
