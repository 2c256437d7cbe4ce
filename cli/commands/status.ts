import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import type { AlarmStatus } from '../../client';
import { statusNames } from '../../workflows/domain/alarm/status';
import { apiOf } from '../api-of';
import { nodes } from '../arguments';
import { exitCodeOf, linesOf, type CommandFailure } from '../command-failure';
import { exitCodes, type ExitCode } from '../exit-codes';
import { readStatuses } from '../read-statuses';
import { painted, partsLine } from '../status-words';
import type { Act, Surroundings } from '../surroundings';
import { tableOf } from '../table';

export const addStatus = (program: Command, act: Act): void => {
  program
    .command('status')
    .description('print the alarm statuses of nodes')
    .argument('<node...>', 'the nodes', nodes)
    .option('--json', 'as JSON, one node per line')
    .addHelpText('after', '\nExample:\n  $ pas status $NODE')
    .action((nodeIds: ReadonlyArray<string>, { json = false }: { readonly json?: boolean }) =>
      act((surroundings) => showStatuses(surroundings, nodeIds, json)),
    );
};

const showStatuses = async (
  surroundings: Surroundings,
  nodeIds: ReadonlyArray<string>,
  json: boolean,
): Promise<ExitCode> => {
  const answers = await readStatuses(apiOf(surroundings), nodeIds);
  const known = answers.flatMap(([, answer]) => (E.isRight(answer) ? [answer.right] : []));
  if (json) for (const status of known) surroundings.print(JSON.stringify(status));
  else if (known.length > 0) statusTable(surroundings, known).forEach(surroundings.print);
  const failures = answers.flatMap(([nodeId, answer]) => (E.isLeft(answer) ? [{ nodeId, failure: answer.left }] : []));
  for (const { nodeId, failure } of failures)
    for (const line of linesOf(failure)) surroundings.report(`${nodeId}: ${line.trim()}`);
  return exitCodeFor(failures, known.length);
};

/** The code of the first failure where nothing was read, else `someFailed`. */
const exitCodeFor = (failures: ReadonlyArray<{ readonly failure: CommandFailure }>, known: number): ExitCode => {
  const [first] = failures;
  if (first === undefined) return exitCodes.done;
  return known > 0 ? exitCodes.someFailed : exitCodeOf(first.failure);
};

const statusTable = ({ colors }: Surroundings, statuses: ReadonlyArray<AlarmStatus>): ReadonlyArray<string> => {
  const rows = statuses.map((shown) => [
    shown.nodeId,
    statusNames[shown.status],
    shown.updatedAt === 0 ? 'never' : new Date(shown.updatedAt).toISOString(),
    partsLine(shown),
  ]);
  const [header = '', ...lines] = tableOf([['NODE', 'STATUS', 'UPDATED', 'PARTS'], ...rows]);
  return [colors.dim(header), ...lines.map((line, index) => painted(colors, statuses[index]?.status ?? 0, line))];
};
