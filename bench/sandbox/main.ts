import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { medianOf } from '../report/summary';
import { variants } from './variants';

/** What an update costs in the sandbox, with and without what makes it lean: `npx tsx bench/sandbox/main.ts`. */

const ROUNDS = 3;
const loads = ['a data point', 'a spectrum of 6,400 lines'] as const;

/** A process of its own each: what a variant changes is changed for all of a process. */
const costsIn = async (variant: string): Promise<ReadonlyArray<number>> => {
  const child = fork(join(__dirname, 'measure.ts'), [variant], { execArgv: process.execArgv });
  const [costs] = (await once(child, 'message')) as [ReadonlyArray<number>];
  return costs;
};

const main = async (): Promise<void> => {
  const seen = new Map<string, Array<ReadonlyArray<number>>>();
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const variant of Object.keys(variants)) {
      const costs = await costsIn(variant);
      seen.set(variant, [...(seen.get(variant) ?? []), costs]);
      process.stderr.write(
        `round ${round} of ${ROUNDS}, ${variant}: ${costs.map((ms) => ms.toFixed(2)).join(', ')} ms\n`,
      );
    }
  }
  process.stdout.write(`| Processor time of an update, ms | ${loads.join(' | ')} |\n| --- | ---: | ---: |\n`);
  for (const [variant, rounds] of seen) {
    const cells = loads.map((_, load) => medianOf(rounds.map((costs) => costs[load] ?? NaN)).toFixed(2));
    process.stdout.write(`| ${variant} | ${cells.join(' | ')} |\n`);
  }
};

void main();
