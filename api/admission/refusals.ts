import * as E from 'fp-ts/Either';
import { type Caller, type Outage, noAnswerOf } from '../ports';
import * as Q from './queue';
import type { RefusalReason, QueueMetrics } from './queue-metrics';
import type { Slots } from './slots';
import type { Ticket } from './ticket';
import type { WaitingNodes } from './waiting-nodes';

/** Longest expected wait of a call, as a part of its deadline. Estimates may be far off, and the round trip comes on top. */
export const PATIENCE = 0.3;
/** Waiting calls, and new calls to nodes that wait for a slot, may wait this many times as long as `PATIENCE` allows. */
const HYSTERESIS = 1.25;

interface Limits {
  readonly deadlineMs: number;
  /** Longest expected wait (ms) with which a new call is accepted. */
  readonly patienceMs: number;
  /** Most calls that wait for one node, and most calls that are sent to it as one group. */
  readonly mostWaiting: number;
  readonly mostTogether: number;
}

/** Decides which new and which waiting calls are refused. `users`: by user, the number of calls that have no answer yet. */
export const createRefusals = <Call, F, A>(
  { deadlineMs, patienceMs, mostWaiting, mostTogether }: Limits,
  nodes: WaitingNodes<Call, F, A>,
  slots: Slots,
  users: ReadonlyMap<string, number>,
  metrics: QueueMetrics | undefined,
) => {
  const { list } = nodes;
  const now = (): number => performance.now();

  const countRefusal = (why: RefusalReason, afterMs = 0): Outage => {
    metrics?.refused(why);
    const isOfServer = why === 'overload' || why === 'share';
    const seconds = Math.ceil(Math.min(afterMs, deadlineMs) / 1_000);
    return outageOf(why, isOfServer ? slots.retryAfter(afterMs - patienceMs) : Math.max(1, seconds));
  };

  /** Refuses a waiting call and takes the call out of its queue. Does nothing if the call no longer waits. */
  const refuseWaiting = (ticket: Ticket<Call, F, A>, why: RefusalReason, afterMs?: number): void => {
    if (!nodes.remove(ticket)) return;
    const { ifNotSent } = ticket;
    ticket.answer(E.left(why === 'late' && ifNotSent !== undefined ? ifNotSent : countRefusal(why, afterMs)));
  };

  /**
   * While waiting calls would wait too long, takes the user who waits for the most nodes, and refuses all calls of this user to
   * the node that the user began to wait for last.
   */
  const shedLoad = (): void => {
    for (;;) {
      const waitMs = slots.waitMs(list.turns());
      const newest = waitMs > HYSTERESIS * patienceMs ? list.newestOfBusiestUser() : undefined;
      if (newest === undefined) return;
      const [userId, nodeId] = newest;
      for (const ticket of [...(nodes.get(nodeId)?.queue.ofUsers.get(userId) ?? [])].reverse())
        refuseWaiting(ticket, overloadReason(userId), waitMs);
      list.remove(userId, nodeId);
    }
  };
  /** `share` if other users have calls, and a call of a new user would still be accepted; otherwise `overload`. */
  const overloadReason = (userId: string): RefusalReason => {
    const others = users.size - (users.has(userId) ? 1 : 0);
    return others > 0 && slots.waitMs(list.turnsUntil('')) <= patienceMs ? 'share' : 'overload';
  };

  /** Why a new call to the node would be refused now; undefined if it would be accepted. */
  const refusal = (nodeId: string, userId: string): Outage | undefined => {
    slots.adjustLimit();
    shedLoad();
    const node = nodes.get(nodeId);
    const groups = Math.floor((node?.queue.waiting.size ?? 0) / mostTogether);
    // The group in flight will probably take as long again as it has taken so far, and so will each full group that waits.
    const busyMs = node?.busySince === undefined ? 0 : (groups + 1) * (now() - node.busySince);
    if (busyMs > deadlineMs / 2) return countRefusal('unresponsive', busyMs);
    const failingMs = slots.failingWaitMs();
    if (nodes.isFailing(nodeId))
      return failingMs > patienceMs && node === undefined ? countRefusal('unresponsive', failingMs) : undefined;
    const waitMs = slots.waitMs(list.turnsUntil(userId)) + groups * slots.waitMs(list.turns());
    // A call to a node that already waits joins the node's group at almost no cost, so the call may wait longer.
    return waitMs > (list.has(nodeId) ? HYSTERESIS : 1) * patienceMs
      ? countRefusal(overloadReason(userId), waitMs)
      : undefined;
  };

  /** Why a submitted call is refused; undefined if the call may join the queue. */
  const refusalOfArrival = (nodeId: string, by: Caller, until: number): Outage | undefined => {
    if (by.disconnected?.aborted === true) return countRefusal('gone');
    if (until <= now()) return countRefusal('late');
    const refusedNow = refusal(nodeId, by.userId);
    const queue = nodes.get(nodeId)?.queue;
    if (refusedNow !== undefined || queue === undefined || queue.waiting.size < mostWaiting) return refusedNow;
    // The queue is full: refuse the newest call of the user who has most calls in it, unless the newcomer has as many.
    const newest = Q.newestOfBusiestUser(queue, by.userId);
    if (newest === undefined) return countRefusal('node');
    refuseWaiting(newest, 'node');
    return undefined;
  };

  /** The refusal of a call whose user sends more than this process can begin, so that not even its token is checked. */
  const tooMany = (): Outage => {
    const [most = ''] = list.newestOfBusiestUser() ?? users.keys();
    return countRefusal(overloadReason(most), slots.waitMs(list.turns()));
  };
  return { refuseWaiting, shedLoad, refusal, refusalOfArrival, tooMany };
};

const outageOf = (why: RefusalReason, retryAfter: number): Outage => {
  if (why === 'overload' || why === 'share') return { _tag: 'Overloaded', retryAfter, isOwnShare: why === 'share' };
  if (why === 'node') return { _tag: 'QueueFull', retryAfter };
  return noAnswerOf('The node', retryAfter);
};
