import * as E from 'fp-ts/Either';
import type { Threshold } from '../../client';
import type { CommandFailure } from '../command-failure';

export interface ExportPlan {
  readonly read: (nodeIds: ReadonlyArray<string>) => Promise<E.Either<CommandFailure, ReadonlyArray<Threshold>>>;
  readonly nodesAtOnce: number;
  readonly onThreshold: (threshold: Threshold) => void;
  readonly onFailed: (nodeId: string, reason: string) => void;
}

/**
 * Reads the thresholds of `nodes` by batches, in order. A batch that is refused because of some of its nodes is requested
 * again without them. Left: the failure that ended the export.
 */
export const exportNodes = async (
  nodes: ReadonlyArray<string>,
  plan: ExportPlan,
): Promise<E.Either<CommandFailure, void>> => {
  for (let from = 0; from < nodes.length; from += plan.nodesAtOnce) {
    let batch = nodes.slice(from, from + plan.nodesAtOnce);
    while (batch.length > 0) {
      const answer = await plan.read(batch);
      if (E.isRight(answer)) {
        answer.right.forEach(plan.onThreshold);
        break;
      }
      const faulty = faultyNodes(batch, answer.left);
      if (faulty.size === 0) return answer;
      for (const [nodeId, reason] of faulty) plan.onFailed(nodeId, reason);
      batch = batch.filter((nodeId) => !faulty.has(nodeId));
    }
  }
  return E.right(undefined);
};

/** The nodes because of which a batch was refused, each with the reason. */
const faultyNodes = (batch: ReadonlyArray<string>, failure: CommandFailure): ReadonlyMap<string, string> => {
  if (failure._tag !== 'Refused' && failure._tag !== 'NotPermitted') return new Map();
  const { reasons = [], violations = [] } = failure.problem;
  const named = reasons.map(({ name, reason }) => [batch[indexIn(name)], reason] as const);
  const forbidden = violations.map(({ action, resource }) => [resource, `lacks ${action}`] as const);
  return new Map(
    [...named, ...forbidden].flatMap(([nodeId, reason]) =>
      nodeId !== undefined && batch.includes(nodeId) ? [[nodeId, reason]] : [],
    ),
  );
};

const indexIn = (name: string): number => Number(/^nodeIDs\.(\d+)$/u.exec(name)?.[1] ?? -1);
