import * as E from 'fp-ts/Either';
import { createQueues, type QueueMetrics } from '../../admission/queues';
import type { Log } from '../../../process/log';
import type { Behalf, Outage } from '../../ports';
import { askNode, type View } from './ask-node';
import type { WorkflowsUntil } from './workflows-until';

interface ReadsParts {
  readonly workflowsUntil: WorkflowsUntil;
  readonly callDeadlineMs: number;
  readonly log: Log;
  readonly admission?: (calls: 'commands' | 'reads') => QueueMetrics;
}

/** Reads a view of a node; it does not reject. */
export type ReadNode = <A>(view: View<A>, nodeId: string, by?: Behalf) => Promise<E.Either<Outage, A>>;

/**
 * Reads of nodes, with slots of their own. All callers of a node and view that wait share the next read; none joins the one that
 * was sent before, which may have been answered before a write that was acknowledged since.
 */
export const createReads = (nodes: ReadsParts): ReadNode => {
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
