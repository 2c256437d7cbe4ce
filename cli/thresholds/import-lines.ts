import { createHash } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { inParallel } from '../../process/in-parallel';
import { CommandError, type CommandFailure } from '../command-failure';
import type { Journal } from '../journal';
import type { FaultyLine, Line, ThresholdLine } from './threshold-line';

/** A line that was not set: its own faults, or the failure of its call. */
export type FailedLine = FaultyLine | (ThresholdLine & { readonly failure: CommandFailure });

/** Counts of the lines so far; `stoppedBy`: the failure that ended the import early. */
export interface Tally {
  readonly set: number;
  readonly setBefore: number;
  readonly failed: number;
  readonly stoppedBy?: CommandFailure;
}

export interface ImportPlan {
  /** Sends a line; a repeat is known by `key`. */
  readonly set: (line: ThresholdLine, key: string) => Promise<E.Either<CommandFailure, unknown>>;
  readonly journal: Journal;
  readonly atOnce: number;
  readonly signal: AbortSignal;
  readonly onFailed: (failed: FailedLine) => void;
  readonly onProgress: (tally: Tally) => void;
}

/**
 * Sets the threshold of each line, what the journal has as done left out. It stops early on no
 * answer, no permission at all, `atOnce` answers in a row that the service is busy, a journal or report that takes no more, or
 * the signal.
 */
export const importLines = async (lines: ReadonlyArray<Line>, plan: ImportPlan): Promise<Tally> => {
  let tally: Tally = { set: 0, setBefore: 0, failed: 0 };
  let busyInARow = 0;
  const count = (change: Partial<Tally>): void => {
    tally = { ...tally, ...change };
    plan.onProgress(tally);
  };
  const fail = (failed: FailedLine): void => {
    plan.onFailed(failed);
    count({ failed: tally.failed + 1 });
  };
  const goOn = (): boolean => tally.stoppedBy === undefined && !plan.signal.aborted;
  const send = async (line: ThresholdLine): Promise<void> => {
    const key = keyOf(plan.journal.id, line);
    if (plan.journal.isDone(key)) return void count({ setBefore: tally.setBefore + 1 });
    const answer = await plan.set(line, key);
    if (E.isRight(answer)) {
      busyInARow = 0;
      plan.journal.add({ line: line.line, node: line.nodeId, key });
      return void count({ set: tally.set + 1 });
    }
    if (answer.left._tag === 'Interrupted') return;
    busyInARow = isPassing(answer.left) ? busyInARow + 1 : 0;
    if (endsAll(answer.left) || busyInARow >= plan.atOnce) return void count({ stoppedBy: answer.left });
    fail({ ...line, failure: answer.left });
  };
  const take = async (line: Line): Promise<void> => {
    try {
      if (E.isLeft(line)) fail(line.left);
      else await send(line.right);
    } catch (thrown) {
      if (!(thrown instanceof CommandError)) throw thrown;
      count({ stoppedBy: thrown.failure });
    }
  };
  await inParallel(lines, plan.atOnce, take, goOn);
  return tally;
};

const UNAUTHENTICATED = 401;
const SERVER_FAULT = 500;

const endsAll = (failure: CommandFailure): boolean =>
  failure._tag === 'NotReachable' || (failure._tag === 'NotPermitted' && failure.problem.status === UNAUTHENTICATED);

const isPassing = (failure: CommandFailure): boolean =>
  failure._tag === 'NotReachable' || (failure._tag === 'Refused' && failure.problem.status >= SERVER_FAULT);

/** Stays the same from try to try, and from run to run of one import; another content has another. */
const keyOf = (importId: string, { nodeId, threshold }: ThresholdLine): string =>
  `pas-${createHash('sha256')
    .update(JSON.stringify([importId, nodeId, threshold]))
    .digest('hex')
    .slice(0, 32)}`;
