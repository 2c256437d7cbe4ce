import { appendFileSync, readFileSync } from 'node:fs';
import { floorCalls } from './floor-calls';
import { httpCalls } from './http-calls';
import type { Job, Told } from './job';
import { runLoad } from './run-load';

/** The load generator, a process of its own: `node dist/bench/load/main.js <job file> <result file>`. */
const main = async ([jobFile = '', resultFile = '']: ReadonlyArray<string>): Promise<void> => {
  const job: Job = JSON.parse(readFileSync(jobFile, 'utf8'));
  const { target, pace } = job;
  const call = 'base' in target ? httpCalls(target, pace) : await floorCalls(target);
  const tell = (told: Told): void => {
    appendFileSync(resultFile, `${JSON.stringify(told)}\n`);
  };
  const faults = await runLoad(job, call, (window) => {
    tell({ window });
  });
  tell({ faults });
};

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
