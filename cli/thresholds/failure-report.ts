import { appendFileSync, rmSync } from 'node:fs';
import { inWords } from '../../process/json/in-words';
import { linesOf, writing } from '../command-failure';
import type { FailedLine } from './import-lines';

/** One document of the report: where, which node, and why, in the words of the API or of the check. */
export const failureRecord = (failed: FailedLine): Readonly<Record<string, unknown>> => {
  const { line, nodeId } = failed;
  const about = { line, ...(nodeId !== undefined && { nodeId }) };
  if ('reasons' in failed) return { ...about, reasons: failed.reasons };
  const { failure } = failed;
  return failure._tag === 'Refused' || failure._tag === 'NotPermitted'
    ? { ...about, problem: failure.problem }
    : { ...about, reason: linesOf(failure).join(' ') };
};

/** A failure as lines for the user, one per fault. */
export const failureLines = (failed: FailedLine): ReadonlyArray<string> =>
  'reasons' in failed
    ? failed.reasons.map((fault) => `line ${failed.line}: ${inWords(fault)}`)
    : linesOf(failed.failure).map((text) => `line ${failed.line}: ${text.trim()}`);

/**
 * A report in `file`, begun anew: a JSON document a failure, written as it happens. Without failures there is no file.
 *
 * Errors: it throws a `CommandError`, now or later, where `file` cannot be written.
 */
export const openReport = (file: string): ((failed: FailedLine) => void) => {
  writing(file, () => {
    rmSync(file, { force: true });
  });
  return (failed) => {
    writing(file, () => {
      appendFileSync(file, `${JSON.stringify(failureRecord(failed))}\n`);
    });
  };
};
