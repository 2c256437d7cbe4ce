import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import { runEntry } from './run-entry';
import { runVitest } from '../service/run-vitest';

const count = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
};

/** `npm run fuzz`: the fuzz tier for longer, by a new seed, which is printed: the same seed finds the same again. */
const main = (): Promise<number> => {
  const { runs, minutes, seed } = new Command('npm run fuzz --')
    .option('--runs <count>', 'runs of each kind of call; sequences of calls are half as many', count, 2_000)
    .option('--minutes <count>', 'the most that each kind may take', count, 10)
    .option('--seed <number>', 'to run again what a seed led to', count, randomInt(1, 2 ** 31 - 1))
    .parse()
    .opts<{ readonly runs: number; readonly minutes: number; readonly seed: number }>();
  process.stderr.write(`seed ${seed}, ${runs} runs of each kind, at most ${minutes} minutes for each\n`);
  const budget = { FUZZ_SEED: String(seed), FUZZ_RUNS: String(runs), FUZZ_MINUTES: String(minutes) };
  return runVitest(['--project', 'fuzz'], budget);
};

void runEntry(main);
