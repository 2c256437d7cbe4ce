import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { unjudged, type PointAlarmClient, type Result, type TaggedThreshold, type Unjudged } from '../../client';
import { apiOf } from '../api-of';
import { node, status } from '../arguments';
import { exitCodes, type ExitCode } from '../exit-codes';
import { type Act, failed, readDocument, type Surroundings } from '../surroundings';
import type { Status } from '../../workflows/domain/alarm/status';

const FILE = '-f, --file <file>';

/** The commands that make one call for one node: `get`, `set`, `patch`, `measure`, `external`. */
export const addOneNodeCommands = (program: Command, act: Act): void => {
  program
    .command('get')
    .description('print the threshold of a node, as JSON')
    .argument('<node>', 'the node', node)
    .addHelpText('after', example('get $NODE'))
    .action((nodeId: string) =>
      act((surroundings) => showThreshold(surroundings, (client) => client.getThreshold(nodeId))),
    );
  program
    .command('set')
    .description('set the threshold of a node')
    .argument('<node>', 'the node', node)
    .requiredOption(FILE, 'the threshold as JSON; - reads standard input')
    .addHelpText('after', example('set $NODE -f threshold.json'))
    .action((nodeId: string, { file }: FileOption) =>
      act((surroundings) =>
        withDocument(surroundings, file, (threshold) =>
          write(surroundings, (client) => client.setThreshold(nodeId, threshold)),
        ),
      ),
    );
  program
    .command('patch')
    .description('change parts of the threshold of a node by a JSON Patch, and print the outcome')
    .argument('<node>', 'the node', node)
    .requiredOption(FILE, 'the patch as JSON; - reads standard input')
    .addHelpText('after', example('patch $NODE -f patch.json'))
    .action((nodeId: string, { file }: FileOption) =>
      act((surroundings) =>
        withDocument(surroundings, file, (operations) =>
          showThreshold(surroundings, (client) => client.patchThreshold(nodeId, operations)),
        ),
      ),
    );
  program
    .command('measure')
    .description('send a measurement of a node')
    .argument('<node>', 'the node', node)
    .requiredOption(FILE, 'the measurement as JSON; - reads standard input')
    .addHelpText('after', example('measure $NODE -f measurement.json'))
    .action((nodeId: string, { file }: FileOption) =>
      act((surroundings) =>
        withDocument(surroundings, file, (measurement) =>
          write(surroundings, (client) => client.updateAlarmStatus(nodeId, measurement)),
        ),
      ),
    );
  program
    .command('external')
    .description('set the external alarm of a node')
    .argument('<node>', 'the node', node)
    .argument('<status>', '0 to 4, or its name', status)
    .option('--by <uuid>', 'who sets it, a UUID', node)
    .addHelpText('after', example('external $NODE ALERT'))
    .action((nodeId: string, alarm: Status, { by: setBy }: { readonly by?: string }) =>
      act((surroundings) => {
        const sent = { status: alarm, ...(setBy !== undefined && { setBy }) };
        return write(surroundings, (client) => client.setExternalAlarm(nodeId, sent));
      }),
    );
};

interface FileOption {
  readonly file: string;
}

const example = (command: string): string => `\nExample:\n  $ pas ${command}`;

type Ask<A> = (client: PointAlarmClient) => Result<A>;

/** Does `work` with the document in `file`, which the API judges. */
const withDocument = async (
  surroundings: Surroundings,
  file: string,
  work: (document: Unjudged) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const json = await readDocument(surroundings, file);
  return E.isLeft(json) ? failed(surroundings, json.left) : work(unjudged(json.right));
};

const write = async (surroundings: Surroundings, ask: Ask<unknown>): Promise<ExitCode> => {
  const answer = await apiOf(surroundings)(ask);
  return E.isLeft(answer) ? failed(surroundings, answer.left) : exitCodes.done;
};

const showThreshold = async (surroundings: Surroundings, ask: Ask<TaggedThreshold>): Promise<ExitCode> => {
  const answer = await apiOf(surroundings)(ask);
  if (E.isLeft(answer)) return failed(surroundings, answer.left);
  surroundings.print(JSON.stringify(answer.right.threshold, undefined, 2));
  return exitCodes.done;
};
