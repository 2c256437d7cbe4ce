import { Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import { apiOf } from '../api-of';
import { nodes, whole } from '../arguments';
import { exitCodes, type ExitCode } from '../exit-codes';
import { readNodes } from '../node-list';
import { type Act, failed, type Surroundings } from '../surroundings';
import { csvHeader, csvRow } from '../thresholds/csv';
import { exportNodes } from '../thresholds/export-nodes';
import { unusable } from '../command-failure';

interface ExportOptions {
  readonly nodesFrom?: string;
  readonly format: 'csv' | 'ndjson';
  readonly chunk: number;
}

export const addExport = (program: Command, act: Act): void => {
  program
    .command('export')
    .description('print the thresholds of nodes, as import takes them')
    .argument('[node...]', 'the nodes', nodes)
    .option('--nodes-from <file>', 'a file with one node per line; - reads standard input')
    .addOption(new Option('--format <format>', 'how to print them').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--chunk <count>', 'nodes asked for at once', whole(1, 10_000), 500)
    .addHelpText('after', '\nExample:\n  $ pas export --nodes-from nodes.txt --format csv > thresholds.csv')
    .action((given: ReadonlyArray<string> | undefined, options: ExportOptions) =>
      act((surroundings) => exportTo(surroundings, given ?? [], options)),
    );
};

const PATIENCE_MS = 60_000;

const exportTo = async (
  surroundings: Surroundings,
  given: ReadonlyArray<string>,
  { nodesFrom, format, chunk }: ExportOptions,
): Promise<ExitCode> => {
  const { print, report } = surroundings;
  const listed = nodesFrom === undefined ? E.right([]) : await readNodes(surroundings, nodesFrom);
  if (E.isLeft(listed)) return failed(surroundings, listed.left);
  const wanted = [...new Set([...given, ...listed.right])];
  if (wanted.length === 0) return failed(surroundings, unusable('name nodes, or a file of them by --nodes-from'));
  let failures = 0;
  const onFailed = (nodeId: string, reason: string): void => {
    failures += 1;
    report(`${nodeId}: ${reason}`);
  };
  if (format === 'csv') print(csvHeader);
  const api = apiOf(surroundings, { patienceMs: PATIENCE_MS, report });
  const outcome = await exportNodes(wanted, {
    read: (nodeIds) => api((client) => client.getThresholds(nodeIds)),
    nodesAtOnce: chunk,
    onThreshold: (threshold) => {
      const line = format === 'csv' ? csvRow(threshold) : E.right(JSON.stringify(threshold));
      if (E.isLeft(line)) onFailed(threshold.nodeId, line.left);
      else print(line.right);
    },
    onFailed,
  });
  if (E.isLeft(outcome)) return failed(surroundings, outcome.left);
  return failures > 0 ? exitCodes.someFailed : exitCodes.done;
};
