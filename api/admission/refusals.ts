import * as E from 'fp-ts/Either';
import { type Behalf, type Outage, noAnswerOf } from '../ports';
import * as Q from './queue';
import type { NotSent, QueueMetrics } from './queue-metrics';
import type { Slots } from './slots';
import type { Ticket } from './ticket';
import type { WaitingNodes } from './waiting-nodes';

/** Share of its deadline that a call may be expected to wait: an estimate may be off by far, and its round trip comes on top. */
export const PATIENCE = 0.3;
/** What has been taken in is refused only when it is expected to wait longer than this many times that. */
const HYSTERESIS = 1.25;

interface Limits {
  readonly deadlineMs: number;
  /** Longest expected wait (ms) that is worth while. */
  readonly patienceMs: number;
  /** Most calls that wait for one node, and most that are sent together. */
  readonly mostWaiting: number;
  readonly mostTogether: number;
}

/** Which calls are refused, of those that come and of those that wait; `users`: numbers of their calls without an answer. */
export const createRefusals = <Call, F, A>(
  { deadlineMs, patienceMs, mostWaiting, mostTogether }: Limits,
  nodes: WaitingNodes<Call, F, A>,
  slots: Slots,
  users: ReadonlyMap<string, number>,
  metrics: QueueMetrics | undefined,
) => {
  const { list } = nodes;
  const now = (): number => performance.now();

  const refused = (why: NotSent, afterMs = 0): Outage => {
    metrics?.refused(why);
    const isOfServer = why === 'overload' || why === 'share';
    const seconds = Math.ceil(Math.min(afterMs, deadlineMs) / 1_000);
    return outageOf(why, isOfServer ? slots.retryAfter(afterMs - patienceMs) : Math.max(1, seconds));
  };

  /** Answers a call that waits, which leaves its queue; nothing where it does not wait. */
  const leave = (ticket: Ticket<Call, F, A>, why: NotSent, afterMs?: number): void => {
    if (!nodes.remove(ticket)) return;
    const { ifNotSent } = ticket;
    ticket.answer(E.left(why === 'late' && ifNotSent !== undefined ? ifNotSent : refused(why, afterMs)));
  };

  /** The calls that have to wait too long since the server became slower leave, newest first. */
  const shed = (): void => {
    for (;;) {
      const waitMs = slots.waitMs(list.turns());
      const newest = waitMs > HYSTERESIS * patienceMs ? list.newestOfMost() : undefined;
      if (newest === undefined) return;
      const [userId, nodeId] = newest;
      for (const ticket of [...(nodes.get(nodeId)?.queue.ofUsers.get(userId) ?? [])].reverse())
        leave(ticket, whoseFault(userId), waitMs);
      list.remove(userId, nodeId);
    }
  };
  /** Whether the server is full, or the user alone has too much waiting. */
  const whoseFault = (userId: string): NotSent => {
    const others = users.size - (users.has(userId) ? 1 : 0);
    return others > 0 && slots.waitMs(list.turnsUntil('')) <= patienceMs ? 'share' : 'overload';
  };

  /** The refusal of a call that would not be taken in now. */
  const refusal = (nodeId: string, userId: string): Outage | undefined => {
    slots.follow();
    shed();
    const node = nodes.get(nodeId);
    const groups = Math.floor((node?.queue.waiting.size ?? 0) / mostTogether);
    // What is in flight to the node will probably take as long again as it took so far.
    const busyMs = node?.busySince === undefined ? 0 : (groups + 1) * (now() - node.busySince);
    if (busyMs > deadlineMs / 2) return refused('unresponsive', busyMs);
    const failingMs = slots.failingWaitMs();
    if (nodes.isFailing(nodeId))
      return failingMs > patienceMs && node === undefined ? refused('unresponsive', failingMs) : undefined;
    const waitMs = slots.waitMs(list.turnsUntil(userId)) + groups * slots.waitMs(list.turns());
    // One that joins the group of a waiting node costs next to nothing.
    return waitMs > (list.has(nodeId) ? HYSTERESIS : 1) * patienceMs ? refused(whoseFault(userId), waitMs) : undefined;
  };

  /** The refusal of a call that was submitted. */
  const notTaken = (nodeId: string, by: Behalf, until: number): Outage | undefined => {
    if (by.gone?.aborted === true) return refused('gone');
    if (until <= now()) return refused('late');
    const refusedNow = refusal(nodeId, by.userId);
    const queue = nodes.get(nodeId)?.queue;
    if (refusedNow !== undefined || queue === undefined || queue.waiting.size < mostWaiting) return refusedNow;
    // The newest call of the user who has most in a full queue makes place, unless that is the newcomer.
    const newest = Q.newestOfMost(queue, by.userId);
    if (newest === undefined) return refused('node');
    leave(newest, 'node');
    return undefined;
  };

  /** The refusal of a call that is not even looked at, as its user sends too many. */
  const tooMany = (): Outage => {
    const [most = ''] = list.newestOfMost() ?? users.keys();
    return refused(whoseFault(most), slots.waitMs(list.turns()));
  };
  return { leave, shed, refusal, notTaken, tooMany };
};

/** The outage behind a call that was not sent. */
const outageOf = (why: NotSent, retryAfter: number): Outage => {
  if (why === 'overload' || why === 'share') return { _tag: 'Overloaded', retryAfter, isOwnShare: why === 'share' };
  if (why === 'node') return { _tag: 'QueueFull', retryAfter };
  return noAnswerOf('The node', retryAfter);
};
