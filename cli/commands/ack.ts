import { InvalidArgumentError, Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import { decode, uuid } from '../../workflows/domain/codecs';
import { alertmanagerUrls, oneLine, MONTH_MS, node, part, timeFrom } from '../arguments';
import { exitCodes, printable, unusable, type ExitCode } from '../failure';
import {
  acknowledge,
  endAcknowledgement,
  minuteOf,
  readLasting,
  type Acknowledgement,
} from '../forward/alertmanager/acknowledgements';
import type { Act, CommandContext } from '../command-context';
import { tableOf } from '../table';

export const addAck = (program: Command, act: Act): void => {
  program
    .command('ack')
    .description('acknowledge the alarms of a node, or of one part of it, in Alertmanager: it notifies nobody of them')
    .argument('[node]', 'the node', node)
    .argument('[part]', 'its part, such as overall or "band 0"; else all of the node', part)
    .requiredOption('--url <url>', 'http://host:9093; repeat it for each member of a cluster', alertmanagerUrls)
    .option('--for <time>', 'how long', timeFrom(60_000, MONTH_MS))
    .option('--comment <text>', 'what is done about it', oneLine(1_000))
    .option('--by <name>', 'who looks after it', oneLine(100))
    .addOption(new Option('--list', 'print the acknowledgements that last').conflicts(['end', ...CREATING]))
    .addOption(
      new Option('--end <id>', 'end an acknowledgement').argParser(acknowledgementId).conflicts(['json', ...CREATING]),
    )
    .option('--json', 'as JSON, one acknowledgement per line', false)
    .addHelpText('after', EXAMPLES)
    .action(act(ack));
};

const CREATING = ['for', 'comment', 'by'];

const acknowledgementId = (text: string): string => {
  const decoded = decode(uuid, text);
  if (E.isLeft(decoded)) throw new InvalidArgumentError('An acknowledgement has a UUID, which --list shows.');
  return decoded.right;
};

const EXAMPLES = `
Examples:
  $ pas ack $NODE --url http://127.0.0.1:9093 --for 4h --by mary --comment "bearing ordered"
  $ pas ack $NODE overall --url http://127.0.0.1:9093 --for 30m --by mary --comment "on my way"
  $ pas ack --list --url http://127.0.0.1:9093
  $ pas ack --end 0e8aa0b4-53b5-4b30-8d5b-bd4e9b1fd8c1 --url http://127.0.0.1:9093`;

interface AckOptions {
  readonly url: ReadonlyArray<URL>;
  readonly for?: number;
  readonly comment?: string;
  readonly by?: string;
  readonly list?: boolean;
  readonly end?: string;
  readonly json: boolean;
}

const ack = async (
  context: CommandContext,
  nodeId: string | undefined,
  partName: string | undefined,
  options: AckOptions,
): Promise<ExitCode> => {
  const { print, interrupted } = context;
  const { url: urls, for: forMs, comment, by, list = false, end, json } = options;
  if (nodeId !== undefined && (list || end !== undefined)) throw unusable(`${list ? '--list' : '--end'} takes no node`);
  if (end !== undefined) {
    await endAcknowledgement(urls, end, interrupted);
    return exitCodes.done;
  }
  const show = (acknowledgements: ReadonlyArray<Acknowledgement>): ExitCode => {
    const lines = json ? acknowledgements.map((one) => JSON.stringify(one)) : rowsOf(acknowledgements);
    lines.forEach(print);
    return exitCodes.done;
  };
  if (list) return show(await readLasting(urls, interrupted));
  if (nodeId === undefined) throw unusable('a node, --list or --end is missing');
  if (forMs === undefined) throw unusable('--for is missing: how long it is looked after, such as 4h');
  if (comment === undefined) throw unusable('--comment is missing: what is done about it');
  if (by === undefined) throw unusable('--by is missing: who looks after it');
  const now = Date.now();
  const [at, until] = [new Date(now).toISOString(), new Date(now + forMs).toISOString()];
  const acknowledgement = { node: nodeId, part: partName ?? null, at, until, by, comment };
  return show([{ id: await acknowledge(urls, acknowledgement, interrupted), ...acknowledgement }]);
};

/** The acknowledgements as a table, sorted by the time at which they end, the earliest first. */
const rowsOf = (acknowledgements: ReadonlyArray<Acknowledgement>): ReadonlyArray<string> => {
  const rows = [...acknowledgements]
    .map(({ id, node: of, part: ofPart, by, until, comment }) =>
      [id, of, ofPart ?? '-', by, minuteOf(until), comment].map(printable),
    )
    .sort(([, , , , one = ''], [, , , , other = '']) => (one < other ? -1 : one > other ? 1 : 0));
  return tableOf([['ID', 'NODE', 'PART', 'BY', 'UNTIL', 'COMMENT'], ...rows]);
};
