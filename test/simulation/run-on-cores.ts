import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from '../../dev/stack/project-root';
import { reportOf } from './report/report';
import { loadAll, noTotals, runMany, withTotals } from './run-many';
import type { Range, RangeResult } from './share';
import type { Totals } from './world/run-schedule';

export interface CoresPlan extends Range {
  readonly processes: number;
  /** Asked before each range; false ends it. */
  readonly goesOn?: (totals: Totals) => boolean;
}

/** Schedules that a process runs before it asks for more: most of a second. */
const AT_ONCE = 100;

/**
 * Runs the schedules of the seeds from `seed` on in several processes, until one breaks a promise or all are run. `report` is
 * empty, or all about the first that broke one. Errors: a process that ended before it answered.
 */
export const runOnCores = async (
  { seed, schedules, processes, goesOn = () => true }: CoresPlan,
  progress: (totals: Totals) => void = () => undefined,
): Promise<{ readonly totals: Totals; readonly report: string }> => {
  let totals = noTotals;
  let next = seed;
  let broken = Infinity;
  const bundle = await bundled();
  const takeRanges = async (): Promise<void> => {
    const child = fork(bundle, { cwd: projectRoot, execArgv: ['--max-semi-space-size=64'] });
    try {
      while (next < seed + schedules && broken === Infinity && goesOn(totals)) {
        const range = { seed: next, schedules: Math.min(AT_ONCE, seed + schedules - next) };
        next += range.schedules;
        const result = await ran(child, range);
        totals = withTotals(totals, result.totals);
        broken = Math.min(broken, result.broken ?? Infinity);
        progress(totals);
      }
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: processes }, takeRanges));
  await rm(bundle);
  return { totals, report: broken === Infinity ? '' : await reportOfSeed(broken) };
};

/** `share.ts` as one file of JavaScript: a fifth faster than compiled on the way, which names each function as it is made. */
const bundled = async (): Promise<string> => {
  const outfile = join(projectRoot, 'node_modules/.cache/simulation', `${process.pid}.cjs`);
  await build({
    entryPoints: [join(projectRoot, 'test/simulation/share.ts')],
    ...{ outfile, bundle: true, packages: 'external', platform: 'node', format: 'cjs', target: 'node20' },
    logLevel: 'error',
  });
  return outfile;
};

const ran = async (child: ChildProcess, range: Range): Promise<RangeResult> => {
  child.send(range);
  const ended = new AbortController();
  const message = once(child, 'message', ended) as Promise<[RangeResult]>;
  const exit = once(child, 'exit', ended).then(([code]) => {
    throw new Error(`a process ended with ${String(code)} in schedules from seed ${range.seed} on`);
  });
  try {
    const [result] = await Promise.race([message, exit]);
    return result;
  } finally {
    ended.abort();
  }
};

const reportOfSeed = async (seed: number): Promise<string> => {
  const loaded = loadAll();
  const { found } = await runMany({ seed, schedules: 1, loaded });
  return found === undefined ? `seed ${seed} broke a promise once, and not again` : reportOf(found, loaded);
};
