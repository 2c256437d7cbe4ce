import { runEntry } from './run-entry';
import { runVitest } from '../service/run-vitest';

const REPORTERS = ['--reporter=default', '--reporter=json', '--outputFile.json=reports/vitest.json'];
const TIERS = ['unit', 'property', 'contract', 'replay', 'integration', 'e2e', 'fuzz', 'simulation'];
const EVERYTHING = ['--coverage', ...TIERS.flatMap((tier) => ['--project', tier])];

/**
 * `npm test`: vitest with the arguments given. Without any it runs all tiers with coverage, but for two: `slow` floods the
 * service and measures it, `chaos` takes the machine for itself.
 */
const main = (): Promise<number> => {
  const args = process.argv.slice(2);
  return runVitest([...REPORTERS, ...(args.length > 0 ? args : EVERYTHING)]);
};

void runEntry(main);
