import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import type { AlarmStatus } from '../../client';
import { partsLine } from '../../workflows/domain/alarm/alarm-lines';
import { statusNames } from '../../workflows/domain/alarm/status';
import { apiOf, readStatuses } from '../api-calls';
import { nodes } from '../arguments';
import { exitCodes, type ExitCode } from '../failure';
import type { Act, Surroundings } from '../surroundings';
import { paintedTable } from '../table';

export const addStatus = (program: Command, act: Act): void => {
  program
    .command('status')
    .description('print the alarm statuses of nodes')
    .argument('<node...>', 'the nodes', nodes)
    .option('--json', 'as JSON, one node per line')
    .addHelpText('after', '\nExample:\n  $ pas status $NODE')
    .action(act(showStatuses));
};

const showStatuses = async (
  surroundings: Surroundings,
  nodeIds: ReadonlyArray<string>,
  { json = false }: { readonly json?: boolean },
): Promise<ExitCode> => {
  const answers = await readStatuses(apiOf(surroundings), nodeIds);
  const known = answers.flatMap(([, answer]) => (E.isRight(answer) ? [answer.right] : []));
  const heads = ['NODE', 'STATUS', 'UPDATED', 'PARTS'];
  if (json) for (const status of known) surroundings.print(JSON.stringify(status));
  else if (known.length > 0) paintedTable(surroundings.colors, heads, known.map(rowOf)).forEach(surroundings.print);
  const failures = answers.flatMap(([nodeId, answer]) => (E.isLeft(answer) ? [[nodeId, answer.left] as const] : []));
  for (const [nodeId, { lines }] of failures)
    for (const line of lines) surroundings.report(`${nodeId}: ${line.trim()}`);
  const [first] = failures;
  if (first === undefined) return exitCodes.done;
  return known.length > 0 ? exitCodes.someFailed : first[1].exitCode;
};

const rowOf = (shown: AlarmStatus) => ({
  status: shown.status,
  cells: [
    shown.nodeId,
    statusNames[shown.status],
    shown.updatedAt === 0 ? 'never' : new Date(shown.updatedAt).toISOString(),
    partsLine(shown),
  ],
});
