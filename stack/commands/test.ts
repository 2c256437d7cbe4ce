import { runEntry } from './run-entry';
import { runVitest } from '../service/run-vitest';

/** The reports of a run lie in `reports/`, by its name. */
const reportersOf = (name: string): ReadonlyArray<string> => [
  ...['--reporter=default', '--reporter=json'],
  `--outputFile.json=reports/${name}.json`,
];
const tiers = (...names: ReadonlyArray<string>): ReadonlyArray<string> => names.flatMap((name) => ['--project', name]);

/** Counting branches makes code several times slower: only the tiers that must meet each of them pay for that. */
const COVERED = ['--coverage', ...tiers('unit', 'contract')];
const OTHERS = tiers('property', 'replay', 'integration', 'e2e', 'fuzz', 'simulation');

/**
 * `npm test`: vitest with the arguments given. Without any it runs all tiers, but for two: `slow` floods the service and
 * measures it, `chaos` takes the machine for itself.
 */
const main = async (): Promise<number> => {
  const args = process.argv.slice(2);
  if (args.length > 0) return runVitest([...reportersOf('vitest'), ...args]);
  const covered = await runVitest([...reportersOf('vitest-covered'), ...COVERED]);
  if (covered > 1) return covered; // interrupted
  return Math.max(covered, await runVitest([...reportersOf('vitest'), ...OTHERS]));
};

void runEntry(main);
