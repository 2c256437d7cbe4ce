import * as E from 'fp-ts/Either';
import { benchmark } from '../../bench/main';
import { benchOptions, USAGE } from '../../bench/options';
import { runEntry } from './run-entry';
import { listenForInterrupts } from '../service/interrupts';

/** `npm run bench`: measures the service on this machine (docs/benchmarks.md). Exit code 2 when the arguments are wrong. */
const main = async (): Promise<number> => {
  const args = process.argv.slice(2);
  const options = benchOptions(args);
  if (E.isLeft(options)) {
    process.stderr.write(`${options.left}; ${USAGE}\n`);
    return 2;
  }
  const interrupts = listenForInterrupts(process.env['npm_lifecycle_event'] !== undefined);
  await benchmark(options.right, args, interrupts);
  return 0;
};

void runEntry(main);
