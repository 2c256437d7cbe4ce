import type { Command } from 'commander';
import { pause } from '../../process/backoff';
import { createLog } from '../../process/log';
import { changePartitions } from '../../stream/change-partitions';
import { connectStream } from '../../stream/connection';
import { whole } from '../arguments';
import { unusable } from '../command-failure';
import { exitCodes, type ExitCode } from '../exit-codes';
import { failed, type Act, type Surroundings } from '../surroundings';

const count = whole(1, 1_024);

export const addChangePartitions = (program: Command, act: Act): void => {
  program
    .command('change-partitions')
    .description('change the count of partitions of the event stream, while the service runs; may be repeated')
    .argument('<old>', 'the count so far', count)
    .argument('<new>', 'the count from now on', count)
    .addHelpText('after', '\nExample:\n  $ pas change-partitions 1 6')
    .action((old: number, wanted: number) => act((surroundings) => change(surroundings, old, wanted)));
};

const change = async (surroundings: Surroundings, old: number, wanted: number): Promise<ExitCode> => {
  if (old === wanted) return failed(surroundings, unusable('the two counts are the same'));
  const { redis, stream, replicasRequired } = surroundings.settings;
  const log = createLog({ level: 'warn', process: 'pas' });
  const sideOf = (partitions: number) => ({
    ...connectStream({ ...redis, stream, partitions, log, name: 'pas' }),
    partitions,
  });
  const sides = [sideOf(old), sideOf(wanted)] as const;
  try {
    for (const side of sides)
      while (!(await side.answers())) {
        if (surroundings.interrupted.aborted) return exitCodes.interrupted;
        await pause(200);
      }
    const nodes = await changePartitions({ stream, replicasRequired, from: sides[0], to: sides[1] });
    surroundings.print(`${stream} has ${wanted} partitions now; ${nodes} nodes were moved`);
    return exitCodes.done;
  } finally {
    await Promise.all(sides.map((side) => side.close()));
  }
};
