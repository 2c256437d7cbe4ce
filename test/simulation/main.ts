import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import type { Totals } from './world/run-schedule';
import { runOnCores } from './run-on-cores';

const count = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
};

const EVERY_MS = 5_000;

/** `npm run simulate`: schedules of the seeds from one on, in a process a core; exit code 1 where one breaks a promise. */
const main = async (): Promise<number> => {
  const { schedules, seed, processes } = new Command('npm run simulate --')
    .option('--schedules <count>', 'how many', count, 20_000)
    .option('--seed <number>', 'the seed of the first; each further one has the next', count, 1)
    .option('--processes <count>', 'how many share the work', count, availableParallelism())
    .parse()
    .opts<{ readonly schedules: number; readonly seed: number; readonly processes: number }>();
  process.stderr.write(`seeds ${seed} to ${seed + schedules - 1}, in ${processes} processes\n`);
  const began = performance.now();
  let reportedAt = began;
  const line = (totals: Totals): string => {
    const perSecond = (totals.schedules * 1_000) / (performance.now() - began);
    return `${totals.schedules} schedules, ${perSecond.toFixed(0)} per second, ${totals.writes} writes, ${totals.events} events, ${(totals.virtualMs / 3_600_000).toFixed(1)} virtual hours`;
  };
  const { totals, report } = await runOnCores({ seed, schedules, processes }, (now) => {
    if (performance.now() - reportedAt < EVERY_MS) return;
    reportedAt = performance.now();
    process.stderr.write(`${line(now)}\n`);
  });
  process.stdout.write(`${line(totals)}\n`);
  for (const [kind, times] of Object.entries(totals.injected).sort(([one], [other]) => (one < other ? -1 : 1)))
    process.stdout.write(`${String(times).padStart(9)}  ${kind}\n`);
  if (report === '') return 0;
  process.stdout.write(`${report}\n`);
  return 1;
};

void main().then((code) => {
  process.exitCode = code;
});
