import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runChild, startChild } from '../../stack/child';
import { testPort } from '../../stack/free-ports';
import { projectRoot } from '../../stack/project-root';
import { waitUntil } from '../../stack/running';
import type { BenchGround } from '../bench-stack';
import type { Bench } from './measure';

const READY_WITHIN_MS = 120_000;
const GRACE_MS = 20_000;

/** How long `npm start` takes until the API is ready, on a machine where all is installed and built. */
export const start = async (bench: Bench): Promise<void> => {
  const folder = await preparedCopy(bench.ground);
  for (let round = 1; round <= bench.options.scale.starts; round += 1) {
    const seconds = await startOnce(folder, bench.ground);
    bench.note({ section: 'start', load: 'npm start until it is ready', side: 'service', round, figures: { seconds } });
  }
};

const startOnce = async (folder: string, ground: BenchGround): Promise<number> => {
  const port = await ground.choosePort(testPort());
  const begin = performance.now();
  const env = {
    ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], TEMPORAL_CLI: ground.commands.temporal },
    ...{ PORT: String(port), WORKER_PORT: String(await ground.choosePort(testPort())) },
  };
  const log = join(ground.folder, 'start.log');
  const args = ['stack/commands/bootstrap.mjs', 'start'];
  const plan = { name: 'npm start', command: process.execPath, args, folder, env, log };
  const child = await startChild(plan, ground.watchdog);
  try {
    const ready = async (): Promise<void> => {
      const { status } = await fetch(`http://127.0.0.1:${port}/readyz`);
      if (status !== 200) throw new Error(`/readyz answers ${status}`);
    };
    await waitUntil(ready, { what: 'npm start', deadlineMs: READY_WITHIN_MS, signal: ground.signal, child });
    return (performance.now() - begin) / 1_000;
  } finally {
    await child.stop(GRACE_MS);
  }
};

const NEEDED =
  'package.json package-lock.json tsconfig.json tsconfig.build.json dist activities api bench cli client consumer process scripts stack stream worker workflows';

/** A copy of the project, so that nothing of what `npm start` keeps in its folder is touched; built, if it was not. */
const preparedCopy = async (ground: BenchGround): Promise<string> => {
  const folder = join(ground.folder, 'start');
  mkdirSync(folder);
  for (const name of NEEDED.split(' ')) cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  const args = ['stack/commands/bootstrap.mjs', 'prepare'];
  const log = join(ground.folder, 'prepare.log');
  await runChild({ name: 'prepare', command: process.execPath, args, folder, env: process.env, log }, ground);
  return folder;
};
