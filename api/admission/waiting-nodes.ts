import { LRUCache } from 'lru-cache';
import * as Q from './queue';
import type { Ticket } from './ticket';
import { createWaitingList } from './waiting-list';

/** A node and its waiting calls. The entry exists from the node's first waiting call until its last group has ended. */
export interface WaitingNode<Call, F, A> {
  readonly nodeId: string;
  readonly queue: Q.Queue<Call, F, A>;
  /** When the node's group was sent (ms of `performance.now()`). Absent while the node waits for a slot. */
  busySince?: number | undefined;
  /** Continues with the group in flight when its next attempt gets a slot. Absent while no attempt waits for one. */
  resumeWithSlot?: ((userId: string) => void) | undefined;
  onArrival?: (() => void) | undefined;
  /** Number of successive groups, up to the latest one, of which the node took no call. */
  untakenGroups: number;
}

export type WaitingNodes<Call, F, A> = ReturnType<typeof createWaitingNodes<Call, F, A>>;

/** Most nodes that are known to fail. A node that is evicted becomes known again when its next attempt fails. */
const FAILING_NODES = 10_000;

/** The nodes that calls wait for, and two lists of nodes that wait for a slot: one for failing nodes, one for all others. */
export const createWaitingNodes = <Call, F, A>() => {
  const nodes = new Map<string, WaitingNode<Call, F, A>>();
  const failing = new LRUCache<string, true>({ max: FAILING_NODES }); // failing nodes: their last attempt failed
  const list = createWaitingList<string>();
  const failingList = createWaitingList<string>();
  const wait = (userId: string, nodeId: string): void => (failing.has(nodeId) ? failingList : list).add(userId, nodeId);
  const stopWaiting = (userId: string, nodeId: string): void => {
    list.remove(userId, nodeId);
    failingList.remove(userId, nodeId);
  };
  return {
    list,
    failingList,
    wait,
    stopWaiting,
    get: (nodeId: string): WaitingNode<Call, F, A> | undefined => nodes.get(nodeId),
    isFailing: (nodeId: string): boolean => failing.has(nodeId),
    failed: (nodeId: string): void => void failing.set(nodeId, true),
    answered: (nodeId: string): void => void failing.delete(nodeId),
    calls: (): number => [...nodes.values()].reduce((sum, { queue }) => sum + queue.waiting.size, 0),
    add: (ticket: Ticket<Call, F, A>): void => {
      const { nodeId, by } = ticket;
      const node: WaitingNode<Call, F, A> = nodes.get(nodeId) ?? { nodeId, queue: Q.emptyQueue(), untakenGroups: 0 };
      nodes.set(nodeId, node);
      Q.add(node.queue, ticket);
      node.onArrival?.();
      if (node.busySince === undefined) wait(by.userId, nodeId);
    },
    remove: (ticket: Ticket<Call, F, A>): boolean => {
      const { nodeId, by } = ticket;
      const node = nodes.get(nodeId);
      if (node === undefined || !Q.remove(node.queue, ticket)) return false;
      const isIdle = node.busySince === undefined;
      if (isIdle && !node.queue.ofUsers.has(by.userId)) stopWaiting(by.userId, nodeId);
      if (node.queue.waiting.size === 0) {
        node.untakenGroups = 0;
        if (isIdle) nodes.delete(nodeId);
      }
      return true;
    },
    /** Reports that a node's group has ended. If calls came meanwhile, the node waits for a slot. */
    done: (node: WaitingNode<Call, F, A>): void => {
      const { nodeId, queue } = node;
      node.busySince = undefined;
      for (const userId of queue.ofUsers.keys()) wait(userId, nodeId);
      if (queue.waiting.size === 0) nodes.delete(nodeId);
    },
  };
};
