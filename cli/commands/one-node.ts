import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { apiOf } from '../api-of';
import type { ApiCalls } from '../api-calls';
import { node, status } from '../arguments';
import { exitCodes, type ExitCode } from '../exit-codes';
import type { Act } from '../frame';
import { failed, readJson, type Surroundings } from '../surroundings';
import type { Trouble } from '../trouble';
import type { Status } from '../../workflows/domain/status';

const FILE = '-f, --file <file>';

/** The commands that make one call for one node: `get`, `set`, `patch`, `measure`, `external`. */
export const addOneNodeCommands = (program: Command, act: Act): void => {
  program
    .command('get')
    .description('print the threshold of a node, as JSON')
    .argument('<node>', 'the node', node)
    .addHelpText('after', example('get $NODE'))
    .action((nodeId: string) =>
      act(async (surroundings) => answered(surroundings, await apiOf(surroundings).threshold(nodeId))),
    );
  program
    .command('set')
    .description('set the threshold of a node')
    .argument('<node>', 'the node', node)
    .requiredOption(FILE, 'the threshold as JSON; - reads standard input')
    .addHelpText('after', example('set $NODE -f threshold.json'))
    .action((nodeId: string, { file }: FileOption) =>
      act((surroundings) => sendFile(surroundings, file, (api, json) => api.setThreshold(nodeId, json))),
    );
  program
    .command('patch')
    .description('change parts of the threshold of a node by a JSON Patch, and print the outcome')
    .argument('<node>', 'the node', node)
    .requiredOption(FILE, 'the patch as JSON; - reads standard input')
    .addHelpText('after', example('patch $NODE -f patch.json'))
    .action((nodeId: string, { file }: FileOption) =>
      act((surroundings) => sendFile(surroundings, file, (api, json) => api.patchThreshold(nodeId, json))),
    );
  program
    .command('measure')
    .description('send a measurement of a node')
    .argument('<node>', 'the node', node)
    .requiredOption(FILE, 'the measurement as JSON; - reads standard input')
    .addHelpText('after', example('measure $NODE -f measurement.json'))
    .action((nodeId: string, { file }: FileOption) =>
      act((surroundings) => sendFile(surroundings, file, (api, json) => api.updateAlarmStatus(nodeId, json))),
    );
  program
    .command('external')
    .description('set the external alarm of a node')
    .argument('<node>', 'the node', node)
    .argument('<status>', '0 to 4, or its name', status)
    .option('--by <uuid>', 'who sets it, a UUID', node)
    .addHelpText('after', example('external $NODE ALERT'))
    .action((nodeId: string, alarm: Status, { by: setBy }: { readonly by?: string }) =>
      act(async (surroundings) => {
        const sent = { status: alarm, ...(setBy !== undefined && { setBy }) };
        return answered(surroundings, await apiOf(surroundings).setExternalAlarm(nodeId, sent));
      }),
    );
};

interface FileOption {
  readonly file: string;
}

const example = (command: string): string => `\nExample:\n  $ pas ${command}`;

const sendFile = async (
  surroundings: Surroundings,
  file: string,
  send: (api: ApiCalls, json: unknown) => Promise<E.Either<Trouble, unknown>>,
): Promise<ExitCode> => {
  const json = await readJson(surroundings, file);
  return E.isLeft(json)
    ? failed(surroundings, json.left)
    : answered(surroundings, await send(apiOf(surroundings), json.right));
};

/** Prints the document answered, if there is one. */
const answered = (surroundings: Surroundings, answer: E.Either<Trouble, unknown>): ExitCode => {
  if (E.isLeft(answer)) return failed(surroundings, answer.left);
  if (answer.right !== undefined) surroundings.print(JSON.stringify(answer.right, undefined, 2));
  return exitCodes.done;
};
