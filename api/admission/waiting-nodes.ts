import { LRUCache } from 'lru-cache';
import * as Q from './queue';
import type { Ticket } from './ticket';
import { createWaitingList } from './waiting-list';

/** A node with its calls, from the first that waits to the end of the last group. */
export interface Node<Call, F, A> {
  readonly nodeId: string;
  readonly queue: Q.Queue<Call, F, A>;
  /** Since when (ms) its work is in flight; absent: it waits for a slot. */
  busySince?: number | undefined;
  /** Goes on with its work in flight, which waits for a slot. */
  goOn?: ((userId: string) => void) | undefined;
  /** Called as a call arrives. */
  arrived?: (() => void) | undefined;
  /** How often in a row it took nothing of what waits. */
  tookNothing: number;
}

export type WaitingNodes<Call, F, A> = ReturnType<typeof createWaitingNodes<Call, F, A>>;

/** Capacity for nodes that fail: another one is found out again. */
const FAILING_NODES = 10_000;

/** The nodes that calls wait for, in the lists of those that wait for a slot: nodes that fail wait apart from the others. */
export const createWaitingNodes = <Call, F, A>() => {
  const nodes = new Map<string, Node<Call, F, A>>();
  const failing = new LRUCache<string, true>({ max: FAILING_NODES }); // whose last attempt failed
  const list = createWaitingList<string>();
  const failingList = createWaitingList<string>();
  const wait = (userId: string, nodeId: string): void => (failing.has(nodeId) ? failingList : list).add(userId, nodeId);
  const waitNoMore = (userId: string, nodeId: string): void => {
    list.remove(userId, nodeId);
    failingList.remove(userId, nodeId);
  };
  return {
    list,
    failingList,
    wait,
    waitNoMore,
    get: (nodeId: string): Node<Call, F, A> | undefined => nodes.get(nodeId),
    isFailing: (nodeId: string): boolean => failing.has(nodeId),
    failed: (nodeId: string): void => void failing.set(nodeId, true),
    answered: (nodeId: string): void => void failing.delete(nodeId),
    /** Number of calls that wait. */
    calls: (): number => [...nodes.values()].reduce((sum, { queue }) => sum + queue.waiting.size, 0),
    /** Has a call wait for its node. */
    add: (ticket: Ticket<Call, F, A>): void => {
      const { nodeId, by } = ticket;
      const node: Node<Call, F, A> = nodes.get(nodeId) ?? { nodeId, queue: Q.emptyQueue(), tookNothing: 0 };
      nodes.set(nodeId, node);
      Q.add(node.queue, ticket);
      node.arrived?.();
      if (node.busySince === undefined) wait(by.userId, nodeId);
    },
    /** Takes a call out that waits; whether it did. */
    remove: (ticket: Ticket<Call, F, A>): boolean => {
      const { nodeId, by } = ticket;
      const node = nodes.get(nodeId);
      if (node === undefined || !Q.remove(node.queue, ticket)) return false;
      const isIdle = node.busySince === undefined;
      if (isIdle && !node.queue.ofUsers.has(by.userId)) waitNoMore(by.userId, nodeId);
      if (node.queue.waiting.size === 0) {
        node.tookNothing = 0;
        if (isIdle) nodes.delete(nodeId);
      }
      return true;
    },
    /** Has a node whose work is done wait for what came meanwhile. */
    done: (node: Node<Call, F, A>): void => {
      const { nodeId, queue } = node;
      node.busySince = undefined;
      for (const userId of queue.ofUsers.keys()) wait(userId, nodeId);
      if (queue.waiting.size === 0) nodes.delete(nodeId);
    },
  };
};
