import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { shown } from '../report/cell';
import { medianOf } from '../report/summary';
import { variants } from './variants';

/** What a node and its updates cost in the sandbox, with and without what makes it lean: `npx tsx bench/sandbox/main.ts`. */

const ROUNDS = 3;
const costs = ['heap of a node, KB', 'a data point, ms', 'a spectrum of 6,400 lines, ms'] as const;

/** A process of its own each: what a variant changes is changed for all of a process. */
const costsIn = async (variant: string): Promise<ReadonlyArray<number>> => {
  const child = fork(join(__dirname, 'measure.ts'), [variant], { execArgv: [...process.execArgv, '--expose-gc'] });
  const [seen] = (await once(child, 'message')) as [ReadonlyArray<number>];
  return seen;
};

const main = async (): Promise<void> => {
  const seen = new Map<string, Array<ReadonlyArray<number>>>();
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const variant of Object.keys(variants)) {
      const found = await costsIn(variant);
      seen.set(variant, [...(seen.get(variant) ?? []), found]);
      process.stderr.write(`round ${round} of ${ROUNDS}, ${variant}: ${found.map((cost) => shown(cost)).join(', ')}\n`);
    }
  }
  process.stdout.write(`| Sandbox | ${costs.join(' | ')} |\n| --- | ---: | ---: | ---: |\n`);
  for (const [variant, rounds] of seen) {
    const cells = costs.map((_, cost) => shown(medianOf(rounds.map((found) => found[cost] ?? NaN))));
    process.stdout.write(`| ${variant} | ${cells.join(' | ')} |\n`);
  }
};

void main();
