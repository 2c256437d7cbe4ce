import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import type { AlarmStatus } from '../../client';
import { partsLine } from '../../workflows/domain/alarm/alarm-lines';
import { statusNames } from '../../workflows/domain/alarm/status';
import { apiOf, readStatuses } from '../api-calls';
import { alertmanagerUrls, nodes } from '../arguments';
import { exitCodes, type ExitCode } from '../failure';
import { acknowledgedCell, readLasting, type Acknowledgement } from '../forward/alertmanager/acknowledgements';
import type { Act, CommandContext } from '../command-context';
import { paintedTable } from '../table';

export const addStatus = (program: Command, act: Act): void => {
  program
    .command('status')
    .description('print the alarm statuses of nodes')
    .argument('<node...>', 'the nodes', nodes)
    .option(
      '--alertmanager <url>',
      'also who looks after them; repeat it for each member of a cluster',
      alertmanagerUrls,
    )
    .option('--json', 'as JSON, one node per line')
    .addHelpText('after', '\nExample:\n  $ pas status $NODE')
    .action(act(showStatuses));
};

const showStatuses = async (
  context: CommandContext,
  nodeIds: ReadonlyArray<string>,
  { json = false, alertmanager }: { readonly json?: boolean; readonly alertmanager?: ReadonlyArray<URL> },
): Promise<ExitCode> => {
  const lasting = alertmanager && (await readLasting(alertmanager, context.interrupted));
  const answers = await readStatuses(apiOf(context), nodeIds);
  const known = answers.flatMap(([, answer]) => (E.isRight(answer) ? [answer.right] : []));
  const heads = ['NODE', 'STATUS', 'UPDATED', ...(lasting === undefined ? [] : ['ACKNOWLEDGED']), 'PARTS'];
  const rows = known.map((shown) => rowOf(shown, lasting));
  if (json) for (const shown of known) context.print(JSON.stringify(withAcknowledgements(shown, lasting)));
  else if (known.length > 0) paintedTable(context.colors, heads, rows).forEach(context.print);
  const failures = answers.flatMap(([nodeId, answer]) => (E.isLeft(answer) ? [[nodeId, answer.left] as const] : []));
  for (const [nodeId, { lines }] of failures) for (const line of lines) context.report(`${nodeId}: ${line.trim()}`);
  const [first] = failures;
  if (first === undefined) return exitCodes.done;
  return known.length > 0 ? exitCodes.someFailed : first[1].exitCode;
};

type Lasting = ReadonlyArray<Acknowledgement> | undefined;

const withAcknowledgements = (shown: AlarmStatus, lasting: Lasting): object =>
  lasting === undefined ? shown : { ...shown, acknowledgements: lasting.filter(({ node }) => node === shown.nodeId) };

const rowOf = (shown: AlarmStatus, lasting: Lasting) => ({
  status: shown.status,
  cells: [
    shown.nodeId,
    statusNames[shown.status],
    shown.updatedAt === 0 ? 'never' : new Date(shown.updatedAt).toISOString(),
    ...(lasting === undefined ? [] : [acknowledgedCell(lasting, shown.nodeId)]),
    partsLine(shown),
  ],
});
