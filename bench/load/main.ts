import { appendFileSync, readFileSync } from 'node:fs';
import { baselineCalls } from './baseline-calls';
import { httpCalls } from './http-calls';
import type { Job, ResultLine } from './job';
import { runLoad } from './run-load';

/** The load generator, a process of its own: `node dist/bench/load/main.js <job file> <result file>`. */
const main = async ([jobFile = '', resultFile = '']: ReadonlyArray<string>): Promise<void> => {
  const job: Job = JSON.parse(readFileSync(jobFile, 'utf8'));
  const { target, pattern } = job;
  const call = 'base' in target ? httpCalls(target, pattern) : await baselineCalls(target);
  const write = (line: ResultLine): void => {
    appendFileSync(resultFile, `${JSON.stringify(line)}\n`);
  };
  const faults = await runLoad(job, call, (window) => {
    write({ window });
  });
  write({ faults });
};

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
