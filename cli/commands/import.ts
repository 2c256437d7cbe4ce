import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { unjudged } from '../../client';
import { apiOf } from '../api-of';
import { whole } from '../arguments';
import { exitCodes, type ExitCode } from '../exit-codes';
import { type Act, failed, readText, type Surroundings } from '../surroundings';
import { readCsv } from '../thresholds/csv';
import { failureLines, openReport } from '../thresholds/failure-report';
import { importLines, type Tally } from '../thresholds/import-lines';
import { inMemory, openJournal } from '../journal';
import { readNdjson } from '../thresholds/ndjson';
import { showProgress } from '../thresholds/progress';
import { eachNodeOnce, type Line } from '../thresholds/threshold-line';
import { exitCodeOf, linesOf, unusable, type CommandFailure } from '../command-failure';

interface ImportOptions {
  readonly format?: 'csv' | 'ndjson';
  readonly atOnce: number;
  readonly patience: number;
  readonly journal?: string;
  readonly report?: string;
  readonly again: boolean;
  readonly dryRun: boolean;
}

export const addImport = (program: Command, act: Act): void => {
  program
    .command('import')
    .description('set the thresholds of many nodes; a repeat goes on where the last one stopped')
    .argument('<file>', 'a .csv or .ndjson file; - reads standard input')
    .addOption(
      new Option('--format <format>', 'what the file holds, where its name does not show it').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--at-once <count>', 'calls at once', whole(1, 256), 16)
    .option(
      '--patience <seconds>',
      'seconds in which a call is retried while the service is busy or unavailable',
      whole(0, 86_400),
      60,
    )
    .option('--journal <file>', 'where the completed lines are kept; default FILE.journal')
    .option('--report <file>', 'where failed lines and their reasons go, as ndjson; default FILE.failed.ndjson')
    .option('--again', 'delete the journal and send every line again', false)
    .option('--dry-run', 'only check the file, without any call', false)
    .addHelpText('after', '\nExamples:\n  $ pas import thresholds.csv --dry-run\n  $ pas import thresholds.csv')
    .action((file: string, options: ImportOptions) => act((surroundings) => importFile(surroundings, file, options)));
};

const importFile = async (surroundings: Surroundings, file: string, options: ImportOptions): Promise<ExitCode> => {
  const text = await readText(surroundings, file);
  const lines = pipe(
    text,
    E.chain((content) => linesIn(file, content, options)),
  );
  if (E.isLeft(lines)) return failed(surroundings, lines.left);
  return options.dryRun ? checkOnly(surroundings, lines.right) : send(surroundings, file, lines.right, options);
};

const linesIn = (
  file: string,
  text: string,
  { format }: ImportOptions,
): E.Either<CommandFailure, ReadonlyArray<Line>> => {
  const isCsv = format === undefined ? file.toLowerCase().endsWith('.csv') : format === 'csv';
  return pipe(
    isCsv ? readCsv(text) : E.right(readNdjson(text)),
    E.bimap((fault) => unusable(`${file}: ${fault}`), eachNodeOnce),
  );
};

const checkOnly = ({ print }: Surroundings, lines: ReadonlyArray<Line>): ExitCode => {
  const faulty = lines.flatMap((line) => (E.isLeft(line) ? [line.left] : []));
  faulty.flatMap(failureLines).forEach(print);
  print(`${lines.length - faulty.length} valid, ${faulty.length} with faults`);
  return faulty.length === 0 ? exitCodes.done : exitCodes.someFailed;
};

const send = async (
  surroundings: Surroundings,
  file: string,
  lines: ReadonlyArray<Line>,
  options: ImportOptions,
): Promise<ExitCode> => {
  const journalFile = beside(surroundings, file, options.journal, '.journal');
  const reportFile = beside(surroundings, file, options.report, '.failed.ndjson');
  const named = [resolve(surroundings.folder, file), journalFile, reportFile].filter((name) => name !== undefined);
  if (new Set(named).size < named.length)
    return failed(surroundings, unusable(`${file}, its journal and its report must be different files`));
  const journal = journalFile === undefined ? inMemory() : openJournal('import', journalFile, options.again);
  const writeReport = reportFile === undefined ? undefined : openReport(reportFile);
  const progress = showProgress(surroundings, lines.length);
  const api = apiOf(surroundings, { patienceMs: options.patience * 1_000, report: progress.report });
  const tally = await importLines(lines, {
    set: ({ nodeId, threshold }, idempotencyKey) =>
      api((client) => client.setThreshold(nodeId, unjudged(threshold), { idempotencyKey })),
    journal,
    atOnce: options.atOnce,
    signal: surroundings.interrupted,
    onFailed: writeReport ?? ((line) => failureLines(line).forEach(progress.report)),
    onProgress: progress.show,
  });
  progress.stop();
  return conclude(surroundings, tally, lines.length, reportFile);
};

const beside = (
  { folder }: Surroundings,
  file: string,
  given: string | undefined,
  ending: string,
): string | undefined => {
  if (given !== undefined) return resolve(folder, given);
  return file === '-' ? undefined : resolve(folder, `${file}${ending}`);
};

const conclude = (
  { print, report, interrupted }: Surroundings,
  { set, setBefore, failed: count, stoppedBy }: Tally,
  total: number,
  reportFile: string | undefined,
): ExitCode => {
  const left = total - set - setBefore - count;
  print(`${set} set, ${setBefore} set before, ${count} failed${left > 0 ? `, ${left} left` : ''}`);
  if (count > 0 && reportFile !== undefined) report(`what failed, and why: ${reportFile}`);
  if (stoppedBy !== undefined) linesOf(stoppedBy).forEach(report);
  if (left > 0) report('stopped early; the same command goes on from here');
  if (stoppedBy !== undefined) return stoppedBy._tag === 'Refused' ? exitCodes.notReachable : exitCodeOf(stoppedBy);
  if (interrupted.aborted && left > 0) return exitCodes.interrupted;
  return count > 0 ? exitCodes.someFailed : exitCodes.done;
};
