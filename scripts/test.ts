import { runEntry } from './run-entry';
import { runVitest } from './start/run-vitest';

const REPORTERS = ['--reporter=default', '--reporter=json', '--outputFile.json=reports/vitest.json'];
const EVERYTHING = ['--coverage', '--project', '!chaos'];

/**
 * `npm test`: vitest with the arguments given; all of it and with coverage when there are none, but for the chaos tier, which
 * takes the machine for itself.
 */
const main = (): Promise<number> => {
  const args = process.argv.slice(2);
  return runVitest([...REPORTERS, ...(args.length > 0 ? args : EVERYTHING)]);
};

void runEntry(main);
