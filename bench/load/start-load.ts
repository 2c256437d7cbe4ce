import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { followLog, runChild } from '../../stack/child';
import { projectRoot } from '../../stack/project-root';
import type { BenchGround } from '../bench-stack';
import type { Faults, Job, ResultLine, Window } from './job';

/** Longer than any call and the start of the process together. */
const BEYOND_MS = 60_000;
/** A job that takes every node once ends with the last of them: 40 to 100 a second. */
const A_NODE_MS = 100;

let made = 0;

/**
 * Has `job` done by a load generator in a process of its own; `onWindow` gets each window as it ends.
 *
 * Errors: it failed, or is not done in time.
 */
export const startLoad = async (
  job: Job,
  ground: BenchGround,
  onWindow: (window: Window) => void = () => undefined,
): Promise<{ readonly windows: ReadonlyArray<Window>; readonly faults: Faults }> => {
  made += 1;
  const jobFile = join(ground.folder, `load-${made}.json`);
  const resultFile = join(ground.folder, `load-${made}.jsonl`);
  writeFileSync(jobFile, JSON.stringify(job));
  const windows: Window[] = [];
  let faults: Faults = {};
  const results = followLog(resultFile, (line) => {
    const result: ResultLine = JSON.parse(line);
    if ('faults' in result) faults = result.faults;
    else {
      windows.push(result.window);
      onWindow(result.window);
    }
  });
  const ownTime =
    job.pattern.kind === 'each' ? job.target.nodes.count * A_NODE_MS : job.warmUpMs + job.windows * job.windowMs;
  const signal = AbortSignal.any([ground.signal, AbortSignal.timeout(ownTime + BEYOND_MS)]);
  const args = ['dist/bench/load/main.js', jobFile, resultFile];
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const log = join(ground.folder, 'load.log');
  const plan = { name: 'load', command: process.execPath, args, folder: projectRoot, env, log };
  await runChild(plan, { ...ground, signal }).finally(results.stop);
  return { windows, faults };
};
