import { join } from 'node:path';
import { startChild, type Child } from '../../scripts/stack/child';
import type { Ground } from '../../scripts/stack/ground';
import { projectRoot } from '../../scripts/stack/project-root';
import { waitUntil } from '../../scripts/stack/wait-until';
import { FLOOR_RUNS } from '../floor/names';

const READY_WITHIN_MS = 60_000;

/** Starts the floor's worker, and waits until it takes tasks. */
export const startFloor = async (address: string, folder: string, ground: Ground): Promise<Child> => {
  const child = await startChild(
    {
      name: 'floor',
      command: process.execPath,
      args: ['dist/bench/floor/main.js', address],
      folder: projectRoot,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
      log: join(folder, 'floor.log'),
    },
    ground.watchdog,
  );
  const runs = (): Promise<void> =>
    child.tail().includes(FLOOR_RUNS) ? Promise.resolve() : Promise.reject(new Error('it does not run yet'));
  await waitUntil(runs, { what: 'the floor', deadlineMs: READY_WITHIN_MS, signal: ground.signal, child });
  return child;
};
