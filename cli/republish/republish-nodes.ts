import * as E from 'fp-ts/Either';
import { backoffMs, pause } from '../../process/backoff';
import { inParallel } from '../../process/in-parallel';
import { CommandError, notReachable, type CommandFailure } from '../command-failure';
import type { Journal } from '../journal';
import type { Asked, NodesInTemporal } from './nodes-in-temporal';

/** Counts of the nodes so far; `stoppedBy`: why it ended early. */
export interface Republished {
  readonly publish: number;
  readonly haveNothing: number;
  readonly before: number;
  readonly notFound: number;
  readonly stoppedBy?: CommandFailure;
}

export interface RepublishPlan {
  readonly republish: NodesInTemporal['republish'];
  readonly journal: Journal;
  readonly userId: string;
  /** Nodes per second. */
  readonly rate: number;
  readonly atOnce: number;
  /** How long (ms) a node is asked again while it does not answer. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  readonly onNotFound: (nodeId: string) => void;
  readonly onProgress: (republished: Republished) => void;
}

const PAUSES = { firstMs: 200, longestMs: 5_000 };

/** Has each of `nodes` publish its threshold and status, those that the journal has as done left out. */
export const republishNodes = async (nodes: ReadonlyArray<string>, plan: RepublishPlan): Promise<Republished> => {
  const { journal, signal } = plan;
  let counts: Republished = { publish: 0, haveNothing: 0, before: 0, notFound: 0 };
  const count = (change: Partial<Republished>): void => {
    counts = { ...counts, ...change };
    plan.onProgress(counts);
  };
  const goOn = (): boolean => counts.stoppedBy === undefined && !signal.aborted;
  const turn = paced(plan.rate, signal);
  const ask = async (nodeId: string): Promise<void> => {
    if (journal.isDone(nodeId)) {
      count({ before: counts.before + 1 });
      return;
    }
    await turn();
    if (!goOn()) return;
    const answer = await untilAnswered(nodeId, plan);
    if (E.isLeft(answer)) {
      if (!signal.aborted) count({ stoppedBy: notReachable('A node', `${nodeId}: ${answer.left}`) });
      return;
    }
    if (answer.right === 'not found') plan.onNotFound(nodeId);
    else journal.add({ node: nodeId, key: nodeId });
    count(countedAs(counts, answer.right));
  };
  const take = (nodeId: string): Promise<void> =>
    ask(nodeId).catch((thrown: unknown) => {
      if (!(thrown instanceof CommandError)) throw thrown;
      count({ stoppedBy: thrown.failure });
    });
  await inParallel(nodes, plan.atOnce, take, goOn);
  return counts;
};

const countedAs = (counts: Republished, answer: Asked): Partial<Republished> => {
  switch (answer) {
    case 'publishes':
      return { publish: counts.publish + 1 };
    case 'has nothing':
      return { haveNothing: counts.haveNothing + 1 };
    case 'not found':
      return { notFound: counts.notFound + 1 };
  }
};

const untilAnswered = async (
  nodeId: string,
  { republish, userId, journal, patienceMs, signal }: RepublishPlan,
): Promise<E.Either<string, Asked>> => {
  const until = Date.now() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    const answer = await republish(nodeId, userId, `republish-${journal.id}`);
    if (E.isRight(answer) || signal.aborted || Date.now() >= until) return answer;
    await pause(backoffMs(PAUSES, tries), signal);
  }
};

/** Waits for a turn, of which there are `rate` per second. */
const paced = (rate: number, signal: AbortSignal): (() => Promise<void>) => {
  let next = performance.now();
  return async () => {
    const at = Math.max(next, performance.now());
    next = at + 1_000 / rate;
    const ms = at - performance.now();
    if (ms >= 1) await pause(ms, signal);
  };
};
