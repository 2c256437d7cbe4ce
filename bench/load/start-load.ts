import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { followLog } from '../../scripts/stack/follow-log';
import { projectRoot } from '../../scripts/stack/project-root';
import { runChild } from '../../scripts/stack/run-child';
import type { BenchGround } from '../stack/bench-stack';
import type { Faults, Job, LoadResult, Told, Window } from './job';

/** Longer than any call and the start of the process together; a job that takes every node once has no end of its own. */
const BEYOND_MS = 60_000;
const EACH_MS = 1_200_000;

let made = 0;

/**
 * Has `job` done by a load generator in a process of its own; each window is told as it ends.
 *
 * Errors: it failed, or is not done in time.
 */
export const startLoad = async (
  job: Job,
  ground: BenchGround,
  tell: (window: Window) => void = () => undefined,
): Promise<LoadResult> => {
  made += 1;
  const jobFile = join(ground.folder, `load-${made}.json`);
  const resultFile = join(ground.folder, `load-${made}.jsonl`);
  writeFileSync(jobFile, JSON.stringify(job));
  const windows: Window[] = [];
  let faults: Faults = {};
  const results = followLog(resultFile, (line) => {
    const told: Told = JSON.parse(line);
    if ('faults' in told) faults = told.faults;
    else {
      windows.push(told.window);
      tell(told.window);
    }
  });
  const ownTime = job.pace.kind === 'each' ? EACH_MS : job.warmUpMs + job.windows * job.windowMs;
  const signal = AbortSignal.any([ground.signal, AbortSignal.timeout(ownTime + BEYOND_MS)]);
  await runChild(
    {
      name: 'load',
      command: process.execPath,
      args: ['dist/bench/load/main.js', jobFile, resultFile],
      folder: projectRoot,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
      log: join(ground.folder, 'load.log'),
    },
    { ...ground, signal },
  ).finally(results.stop);
  return { windows, faults };
};
