import { QueryRejectedError, type WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import * as E from 'fp-ts/Either';
import {
  type State,
  newNode,
  alarmStatusView,
  revisedThreshold,
  snapshotView,
} from '../../../workflows/domain/node/state';
import { queries, workflowIdOf } from '../../../workflows/messages';
import { type Caller, type Outage, noAnswerOf } from '../../ports';
import { retry } from './retry';
import type { NodeQueueSettings } from '../node-queue';
import type { GroupSender } from './send-group';
import { type Slot, createQueues } from '../../admission/queues';

/** Temporal's status of a run that continued as new. */
const CONTINUED_AS_NEW = 6;

/** A query of a node, and the function that computes the query's answer from a state. */
export interface View<A> {
  readonly query: QueryDefinition<A>;
  readonly of: (state: State) => A;
}

export const views = {
  threshold: { query: queries.threshold, of: revisedThreshold },
  alarmStatus: { query: queries.alarmStatus, of: alarmStatusView },
  snapshot: { query: queries.snapshot, of: snapshotView },
};

/**
 * Queries the node, and tries again until the deadline `until`. A node without a running workflow was never written, or was
 * terminated: the answer is that of a new node.
 */
export const queryNode = async <A>(
  { workflowsUntil, log }: Pick<GroupSender, 'workflowsUntil' | 'log'>,
  view: View<A>,
  nodeId: string,
  until: number,
  slot?: Slot,
): Promise<E.Either<Outage, A>> => {
  const answer = await retry((end) => queryOnce(workflowsUntil(end), view, nodeId), until, slot);
  if (E.isRight(answer)) return answer;
  const { reason, kind } = answer.left;
  log.warn({ nodeId, query: view.query.name, reason }, 'a read was given up');
  return E.left(kind === 'late' ? { _tag: 'TimedOut' } : noAnswerOf('Temporal'));
};

const queryOnce = async <A>(workflows: WorkflowClient, { query, of }: View<A>, nodeId: string): Promise<A> => {
  for (;;) {
    try {
      return await workflows.getHandle(workflowIdOf(nodeId)).query(query);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return of(newNode(nodeId).state);
      if (!(error instanceof QueryRejectedError)) throw error;
      const status: number = error.status;
      if (status !== CONTINUED_AS_NEW) return of(newNode(nodeId).state);
    }
  }
};

/** Reads a view of a node. Never rejects. */
export type ReadNode = <A>(view: View<A>, nodeId: string, by?: Caller) => Promise<E.Either<Outage, A>>;

/**
 * Reads nodes, with other slots than commands have. Callers that wait for the same view of a node share the next read. No
 * caller joins a read in flight, because the node may have answered that read before a write that was acknowledged since.
 */
export const createReads = (
  nodes: Pick<GroupSender, 'workflowsUntil' | 'log'> & Pick<NodeQueueSettings, 'callDeadlineMs' | 'admission'>,
): ReadNode => {
  type Ask = (until: number, slot: Slot) => Promise<E.Either<Outage, unknown>>;
  const queues = createQueues<Ask, never, unknown>({
    deadlineMs: nodes.callDeadlineMs,
    mostWaiting: Infinity,
    mostTogether: Infinity,
    kinds: ['read'],
    kindOf: () => 'read',
    send: async (_, { calls, until }, slot) => {
      const answer = await calls[0](until, slot);
      return { answers: calls.map(() => answer), isAnswered: E.isRight(answer), showsLoad: true };
    },
    ...(nodes.admission !== undefined && { metrics: nodes.admission('reads') }),
  });
  return <A>(view: View<A>, nodeId: string, by?: Caller) => {
    const read = (until: number, slot: Slot) => queryNode(nodes, view, nodeId, until, slot);
    return queues.submit(`${view.query.name} ${nodeId}`, read, by) as ReturnType<typeof read>;
  };
};
