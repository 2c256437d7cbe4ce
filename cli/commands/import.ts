import { createHash } from 'node:crypto';
import { appendFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import { unjudged } from '../../client';
import { reasonInWords } from '../../workflows/domain/codecs';
import { apiOf } from '../api-calls';
import { parseWholeNumber } from '../arguments';
import { exitCodes, UNAUTHENTICATED, unusable, writeOrFail, type CommandFailure, type ExitCode } from '../failure';
import { readText } from '../input';
import { openJournal, runLongWork, type ItemOutcome, type Journal } from '../long-work';
import type { Act, CommandContext } from '../command-context';
import { eachNodeOnce, readCsv, readNdjson, type FaultyLine, type Line, type ThresholdLine } from '../threshold-file';

interface ImportOptions {
  readonly format?: 'csv' | 'ndjson';
  readonly atOnce: number;
  readonly patience: number;
  readonly journal?: string;
  readonly report?: string;
  readonly again: boolean;
  readonly dryRun: boolean;
}

const formats = ['csv', 'ndjson'];

export const addImport = (program: Command, act: Act): void => {
  program
    .command('import')
    .description('set the thresholds of many nodes; a repeat goes on where the last one stopped')
    .argument('<file>', 'a .csv or .ndjson file; - reads standard input')
    .addOption(new Option('--format <format>', 'what the file holds, where its name does not show it').choices(formats))
    .option('--at-once <count>', 'calls at once', parseWholeNumber(1, 256), 16)
    .option(
      '--patience <seconds>',
      'seconds in which a call is retried while the service is busy or unavailable',
      parseWholeNumber(0, 86_400),
      60,
    )
    .option('--journal <file>', 'where the completed lines are kept; default FILE.journal')
    .option('--report <file>', 'where failed lines and their reasons go, as ndjson; default FILE.failed.ndjson')
    .option('--again', 'delete the journal and send every line again', false)
    .option('--dry-run', 'only check the file, without any call', false)
    .addHelpText('after', '\nExamples:\n  $ pas import thresholds.csv --dry-run\n  $ pas import thresholds.csv')
    .action(act(importFile));
};

const importFile = async (context: CommandContext, file: string, options: ImportOptions): Promise<ExitCode> => {
  const lines = linesIn(file, await readText(context, file), options);
  if (!options.dryRun) return send(context, file, lines, options);
  const faulty = lines.flatMap((line) => (E.isLeft(line) ? [line.left] : []));
  faulty.flatMap(failureLines).forEach(context.print);
  context.print(`${lines.length - faulty.length} valid, ${faulty.length} with faults`);
  return faulty.length === 0 ? exitCodes.done : exitCodes.someFailed;
};

const linesIn = (file: string, text: string, { format }: ImportOptions): ReadonlyArray<Line> => {
  const isCsv = format === undefined ? file.toLowerCase().endsWith('.csv') : format === 'csv';
  const lines = isCsv ? readCsv(text) : E.right(readNdjson(text));
  if (E.isLeft(lines)) throw unusable(`${file}: ${lines.left}`);
  return eachNodeOnce(lines.right);
};

const send = async (context: CommandContext, file: string, lines: ReadonlyArray<Line>, options: ImportOptions) => {
  const { folder } = context;
  const beside = (given: string | undefined, ending: string): string | undefined => {
    if (given !== undefined) return resolve(folder, given);
    return file === '-' ? undefined : resolve(folder, `${file}${ending}`);
  };
  const journalFile = beside(options.journal, '.journal');
  const reportFile = beside(options.report, '.failed.ndjson');
  const named = [resolve(folder, file), journalFile, reportFile].filter((name) => name !== undefined);
  if (new Set(named).size < named.length) throw unusable(`${file}, its journal and its report must be different files`);
  const journal = await openJournal('import', journalFile, options.again);
  const writeReport = reportFile === undefined ? undefined : openReport(reportFile);
  const work = runLongWork(
    context,
    lines,
    options.atOnce,
    (report) => {
      const api = apiOf(context, { patienceMs: options.patience * 1_000, report });
      return importLine({
        journal,
        atOnce: options.atOnce,
        set: ({ nodeId, threshold }, idempotencyKey) =>
          api((client) => client.setThreshold(nodeId, unjudged(threshold), { idempotencyKey })),
        onFailed: writeReport ?? ((line) => failureLines(line).forEach(report)),
      });
    },
    ({ done, before, failed }) => ({
      counts: [`${done} set`, `${before} set before`, `${failed} failed`],
      notes: failed > 0 && reportFile !== undefined ? [`what failed, and why: ${reportFile}`] : [],
    }),
  );
  return work.finally(journal.close);
};

/** A line of the file whose threshold was not set, with the faults of the line or the failure of its call to the API. */
export type FailedLine = FaultyLine | (ThresholdLine & { readonly failure: CommandFailure });

interface ImportPlan {
  /** Sends the threshold of a line to the API with the idempotency key `key`. */
  readonly set: (line: ThresholdLine, key: string) => Promise<E.Either<CommandFailure, unknown>>;
  readonly journal: Journal;
  readonly atOnce: number;
  readonly onFailed: (failed: FailedLine) => void;
}

/**
 * Returns a function that sets the threshold of one line, unless the journal says that this threshold was the last one set for
 * the node. The function throws the failures that end the import: no answer, no valid token, `atOnce` answers in a row with a
 * status of 500 or above, and a journal or report that cannot be written.
 */
export const importLine = ({ set, journal, atOnce, onFailed }: ImportPlan) => {
  let busyInARow = 0;
  const fail = (failed: FailedLine): ItemOutcome => {
    onFailed(failed);
    return 'failed';
  };
  return async (given: Line): Promise<ItemOutcome> => {
    if (E.isLeft(given)) return fail(given.left);
    const line = given.right;
    const last = journal.last(line.nodeId);
    const isRepeat = last !== undefined && last.key === keyOf(journal.id, line, last.before);
    if (isRepeat && last.sent !== true) return 'before';
    const before = isRepeat ? last.before : last?.key;
    const key = keyOf(journal.id, line, before);
    const entry = { line: line.line, node: line.nodeId, key, ...(before !== undefined && { before }) };
    if (!isRepeat) journal.add({ ...entry, sent: true });
    const answer = await set(line, key);
    if (E.isRight(answer)) {
      busyInARow = 0;
      journal.add(entry);
      return 'done';
    }
    const { exitCode, problem } = answer.left;
    if (exitCode === exitCodes.interrupted) return 'left';
    const isUnanswered = exitCode === exitCodes.notReachable;
    busyInARow = isUnanswered || (problem?.status ?? 0) >= 500 ? busyInARow + 1 : 0;
    if (isUnanswered || problem?.status === UNAUTHENTICATED || busyInARow >= atOnce) throw answer.left;
    return fail({ ...line, failure: answer.left });
  };
};

/**
 * The idempotency key of a line, the same for all tries and repeats of one import. It depends on the threshold, and on the key
 * of the threshold that was set before (`before`): if a file goes back to an earlier threshold, the line needs a new key,
 * because a node changes nothing when it gets a key that it knows.
 */
const keyOf = (importId: string, { nodeId, threshold }: ThresholdLine, before?: string): string =>
  `pas-${createHash('sha256')
    .update(JSON.stringify([importId, nodeId, threshold, ...(before === undefined ? [] : [before])]))
    .digest('hex')
    .slice(0, 32)}`;

/** One JSON document of the report: the line, the node, and the reason as the API or the check of the file states it. */
export const failureRecord = (failed: FailedLine): Readonly<Record<string, unknown>> => {
  const { line, nodeId } = failed;
  if ('reasons' in failed) return { line, nodeId, reasons: failed.reasons };
  const { problem, lines } = failed.failure;
  return { line, nodeId, ...(problem === undefined ? { reason: lines.join(' ') } : { problem }) };
};

export const failureLines = (failed: FailedLine): ReadonlyArray<string> => {
  const faults =
    'reasons' in failed ? failed.reasons.map(reasonInWords) : failed.failure.lines.map((text) => text.trim());
  return faults.map((fault) => `line ${failed.line}: ${fault}`);
};

/** Deletes the report of an earlier import. A new `file` begins only when the returned function gets the first failure. */
const openReport = (file: string): ((failed: FailedLine) => void) => {
  writeOrFail(file, () => rmSync(file, { force: true }));
  return (failed) => writeOrFail(file, () => appendFileSync(file, `${JSON.stringify(failureRecord(failed))}\n`));
};
