import { Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import type { Threshold } from '../../client';
import { apiOf } from '../api-calls';
import { nodes, parseWholeNumber } from '../arguments';
import { exitCodes, unusable, type CommandFailure, type ExitCode } from '../failure';
import { namedNodes } from '../input';
import type { Act, CommandContext } from '../command-context';
import { csvHeader, csvRow } from '../threshold-file';

interface ExportOptions {
  readonly nodesFrom?: string;
  readonly format: 'csv' | 'ndjson';
  readonly chunk: number;
}

/** Default number of nodes per call. Newly started workers must replay all their histories within the call's deadline. */
const USUAL_CHUNK = 100;

export const addExport = (program: Command, act: Act): void => {
  program
    .command('export')
    .description('print the thresholds of nodes, as import takes them')
    .argument('[node...]', 'the nodes', nodes)
    .option('--nodes-from <file>', 'a file with one node per line; - reads standard input')
    .addOption(new Option('--format <format>', 'how to print them').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--chunk <count>', 'nodes asked for at once', parseWholeNumber(1, 10_000), USUAL_CHUNK)
    .addHelpText('after', '\nExample:\n  $ pas export --nodes-from nodes.txt --format csv > thresholds.csv')
    .action(act(exportNodes));
};

const PATIENCE_MS = 60_000;

/** Exports in batches. If the API refuses a batch because of some of its nodes, the batch is requested again without them. */
const exportNodes = async (
  context: CommandContext,
  given: ReadonlyArray<string> | undefined,
  { nodesFrom, format, chunk }: ExportOptions,
): Promise<ExitCode> => {
  const { print, report, outputClosed } = context;
  const wanted = await namedNodes(context, given, nodesFrom);
  if (wanted.length === 0) throw unusable('name nodes, or a file of them by --nodes-from');
  let code: ExitCode = exitCodes.done;
  const fail = (nodeId: string, reason: string): void => {
    code = exitCodes.someFailed;
    report(`${nodeId}: ${reason}`);
  };
  const show = (threshold: Threshold): void => {
    const line = format === 'csv' ? csvRow(threshold) : E.right(JSON.stringify(threshold));
    if (E.isLeft(line)) fail(threshold.nodeId, line.left);
    else print(line.right);
  };
  if (format === 'csv') print(csvHeader);
  const api = apiOf(context, { patienceMs: PATIENCE_MS, report });
  for (let from = 0; from < wanted.length && !outputClosed.aborted; from += chunk) {
    let batch = wanted.slice(from, from + chunk);
    while (batch.length > 0) {
      const answer = await api((client) => client.getThresholds(batch));
      if (E.isRight(answer)) {
        answer.right.forEach(show);
        break;
      }
      const faulty = faultyNodes(batch, answer.left);
      if (faulty.size === 0) throw answer.left;
      for (const [nodeId, reason] of faulty) fail(nodeId, reason);
      batch = batch.filter((nodeId) => !faulty.has(nodeId));
    }
  }
  return code;
};

/** The nodes because of which the API refused a batch, each with the reason. */
const faultyNodes = (batch: ReadonlyArray<string>, { problem }: CommandFailure): ReadonlyMap<string, string> => {
  const { reasons = [], violations = [] } = problem ?? {};
  const named = reasons.map(({ name, reason }) => [batch[indexIn(name)] ?? '', reason] as const);
  const forbidden = violations.map(({ action, resource }) => [resource, `lacks ${action}`] as const);
  return new Map([...named, ...forbidden].filter(([nodeId]) => batch.includes(nodeId)));
};

const indexIn = (name: string): number => Number(/^nodeIDs\.(\d+)$/u.exec(name)?.[1] ?? -1);
