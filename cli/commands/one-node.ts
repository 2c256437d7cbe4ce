import type { Command } from 'commander';
import { unjudged, type PointAlarmClient, type Result } from '../../client';
import type { Status } from '../../workflows/domain/alarm/status';
import { isRecord } from '../../workflows/domain/codecs';
import { answerOf } from '../api-calls';
import { node, status } from '../arguments';
import { exitCodes } from '../failure';
import { readDocument } from '../input';
import type { Act, CommandContext } from '../command-context';

/** The commands that send a document about a node: name, description, what the document is, and the client's method. */
const sending = [
  ['set', 'set the threshold of a node', 'threshold', 'setThreshold'],
  [
    'patch',
    'change parts of the threshold of a node by a JSON Patch, and print the outcome',
    'patch',
    'patchThreshold',
  ],
  ['measure', 'send a measurement of a node', 'measurement', 'updateAlarmStatus'],
] as const;

export const addOneNodeCommands = (program: Command, act: Act): void => {
  const add = (name: string, description: string, example: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('<node>', 'the node', node)
      .addHelpText('after', `\nExample:\n  $ pas ${name} ${example}`);
  add('get', 'print the threshold of a node, as JSON', '$NODE').action(
    act((context, nodeId: string) => callOnce(context, (client) => client.getThreshold(nodeId))),
  );
  for (const [name, description, document, call] of sending)
    add(name, description, `$NODE -f ${document}.json`)
      .requiredOption('-f, --file <file>', `the ${document} as JSON; - reads standard input`)
      .action(
        act(async (context, nodeId: string, { file }: { readonly file: string }) => {
          const sent = unjudged(await readDocument(context, file));
          return callOnce(context, (client): Result<unknown> => client[call](nodeId, sent));
        }),
      );
  add('external', 'set the external alarm of a node', '$NODE ALERT')
    .argument('<status>', '0 to 4, or its name', status)
    .option('--by <uuid>', 'who sets it, a UUID', node)
    .action(
      act((context, nodeId: string, alarm: Status, { by: setBy }: { readonly by?: string }) => {
        const sent = { status: alarm, ...(setBy !== undefined && { setBy }) };
        return callOnce(context, (client) => client.setExternalAlarm(nodeId, sent));
      }),
    );
};

/** Makes one call. If the answer holds a threshold, as for `get` and `patch`, it prints the threshold. */
const callOnce = async (context: CommandContext, ask: (client: PointAlarmClient) => Result<unknown>) => {
  const answer = await answerOf(context, ask);
  if (isRecord(answer) && 'threshold' in answer) context.print(JSON.stringify(answer['threshold'], undefined, 2));
  return exitCodes.done;
};
