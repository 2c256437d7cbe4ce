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
import { type Behalf, type Outage, noAnswerOf } from '../../ports';
import { retry } from './calls';
import type { NodeQueueSettings } from '../node-queue';
import type { GroupSender } from './send-group';
import { createQueues } from '../../admission/queues';

/** Temporal's status of a run that continued as new. */
const CONTINUED_AS_NEW = 6;

/** A query of a node, and its answer from a state. */
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
 * Queries the node for `view` until `until` (epoch ms). A node without a workflow was never written, or was terminated, which
 * deletes its state.
 */
export const askNode = async <A>(
  { workflowsUntil, log }: Pick<GroupSender, 'workflowsUntil' | 'log'>,
  view: View<A>,
  nodeId: string,
  until: number,
): Promise<E.Either<Outage, A>> => {
  const answer = await retry((end) => ask(workflowsUntil(end), view, nodeId), until);
  if (E.isRight(answer)) return answer;
  const { reason, kind } = answer.left;
  log.warn({ nodeId, query: view.query.name, reason }, 'a read was given up');
  return E.left(kind === 'late' ? { _tag: 'TimedOut' } : noAnswerOf('Temporal'));
};

const ask = async <A>(workflows: WorkflowClient, { query, of }: View<A>, nodeId: string): Promise<A> => {
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

/** Reads a view of a node; it does not reject. */
export type ReadNode = <A>(view: View<A>, nodeId: string, by?: Behalf) => Promise<E.Either<Outage, A>>;

/**
 * Reads of nodes, with slots of their own. All callers of a node and view that wait share the next read; none joins the one that
 * was sent before, which may have been answered before a write that was acknowledged since.
 */
export const createReads = (
  nodes: Pick<GroupSender, 'workflowsUntil' | 'log'> & Pick<NodeQueueSettings, 'callDeadlineMs' | 'admission'>,
): ReadNode => {
  const queues = createQueues<View<unknown>, never, unknown>({
    deadlineMs: nodes.callDeadlineMs,
    mostWaiting: Infinity,
    mostTogether: Infinity,
    kinds: ['read'],
    kindOf: () => 'read',
    send: async (key, waiting, free) => {
      const group = waiting.splice(0);
      for (const ticket of group) ticket.isSent = true;
      const sentAt = performance.now();
      const [first] = group;
      const until = Math.max(...group.map((ticket) => ticket.until));
      const answer = first && (await askNode(nodes, first.call, key.slice(key.indexOf(' ') + 1), until));
      free(answer !== undefined && E.isRight(answer) ? performance.now() - sentAt : undefined);
      if (answer !== undefined) for (const ticket of group) ticket.answer(answer);
      return 0;
    },
    ...(nodes.admission !== undefined && { metrics: nodes.admission('reads') }),
  });
  return <A>(view: View<A>, nodeId: string, by?: Behalf) =>
    queues.submit(`${view.query.name} ${nodeId}`, view, by) as Promise<E.Either<Outage, A>>;
};
