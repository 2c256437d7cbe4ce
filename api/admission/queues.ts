import * as E from 'fp-ts/Either';
import { isNonEmpty } from 'fp-ts/ReadonlyArray';
import { map, type ReadonlyNonEmptyArray } from 'fp-ts/ReadonlyNonEmptyArray';
import { LRUCache } from 'lru-cache';
import { backoffMs, pause } from '../../process/backoff';
import { type Behalf, type Outage, noAnswerOf } from '../ports';
import * as Q from './queue';
import type { NotSent, QueueMetrics } from './queue-metrics';
import { createSlots, PROBE_MS } from './slots';
import { createTicket, type Endings, type Ticket } from './ticket';
import { createWaitingList } from './waiting-list';

/** Calls for one node that go together. */
export interface Group<Call> {
  readonly calls: ReadonlyNonEmptyArray<Call>;
  /** The latest deadline among them, and the earliest arrival, by `performance.now()`. */
  readonly until: number;
  readonly since: number;
}

/** What came of a group. */
export interface Outcomes<F, A> {
  /** The answers of the first calls; the others are sent again. */
  readonly answers: ReadonlyArray<E.Either<F | Outage, A>>;
  /** The answer of those others, should their deadline pass first. */
  readonly ifNotSent?: F | undefined;
  /** Whether the node answered; else it fails. */
  readonly isAnswered: boolean;
  /** Whether its round trip tells of the server. */
  readonly tells: boolean;
  /** Ends when the next group may be sent; by default at once. Never rejects. */
  readonly completed?: Promise<void>;
}

/** Waits after an attempt that failed, without a slot; whether the next one may be made, with one. */
export type BeforeRetry = (pauseMs: number) => Promise<boolean>;

export interface QueuesParts<Call, F, A> {
  readonly deadlineMs: number;
  /** Most calls that wait for one node, and most that are sent together, by their number and by their bytes. */
  readonly mostWaiting: number;
  readonly mostTogether: number;
  readonly mostBytes?: number;
  readonly bytesOf?: (call: Call) => number;
  /** Calls that are waited for after a group of several, whose callers come back. */
  readonly gathers?: number;
  /** What the work for a node costs, as a name; the first one is the usual kind. */
  readonly kinds: readonly [usual: string, ...others: ReadonlyArray<string>];
  readonly kindOf: (nodeId: string) => string;
  /** Sends a group. Never rejects. */
  readonly send: (nodeId: string, group: Group<Call>, beforeRetry: BeforeRetry) => Promise<Outcomes<F, A>>;
  readonly metrics?: QueueMetrics;
}

/** A node with its calls, from the first that waits to the end of the last group. */
interface Node<Call, F, A> {
  readonly nodeId: string;
  readonly queue: Q.Queue<Ticket<Call, F, A>>;
  /** Since when (ms) its work is in flight; absent: it waits for a slot. */
  busySince?: number | undefined;
  /** Goes on with its work in flight, which waits for a slot. */
  goOn?: ((userId: string) => void) | undefined;
  /** Called as a call arrives. */
  arrived?: (() => void) | undefined;
  /** How often in a row it took nothing. */
  tookNothing: number;
}

/** Share of its deadline that a call may be expected to wait: an estimate may be off by far, and its round trip comes on top. */
const PATIENCE = 0.3;
/** What has been taken in is refused only when it is expected to wait longer than this many times that. */
const HYSTERESIS = 1.25;

/** Time (ms) that a node waits for the callers of an answered group (docs/contributing/benchmarks-tables.md, "Others"). */
const GATHER_MS = 4;

/** Pauses (ms) before calls are resent to a node that had no room for any. */
const PAUSES = { firstMs: 20, longestMs: 400 };

/** Capacity for nodes that fail: another one is found out again. */
const FAILING_NODES = 10_000;

const NOBODY: Behalf = { userId: '' };

/**
 * A queue per node, one piece of work in flight for each, and slots for as many as the server takes at once (docs/admission.md).
 * A node that waits for a slot gathers calls meanwhile. A call that would have to wait too long is refused at once, and so are
 * the newest of the user who has most waiting when the server becomes slower.
 */
export const createQueues = <Call, F, A>(parts: QueuesParts<Call, F, A>) => {
  const {
    deadlineMs,
    mostWaiting,
    mostTogether,
    mostBytes = Infinity,
    bytesOf = () => 0,
    gathers = 0,
    metrics,
  } = parts;
  const now = (): number => performance.now();
  const patienceMs = PATIENCE * deadlineMs;
  const nodes = new Map<string, Node<Call, F, A>>();
  const failing = new LRUCache<string, true>({ max: FAILING_NODES }); // whose last attempt failed
  const users = new Map<string, number>(); // calls without an answer
  const list = createWaitingList<string>();
  const listOfFailing = createWaitingList<string>();
  const slots = createSlots(list, listOfFailing, parts.kinds[0], patienceMs, deadlineMs);
  let tick: NodeJS.Timeout | undefined;

  const wait = (userId: string, nodeId: string): void =>
    (failing.has(nodeId) ? listOfFailing : list).add(userId, nodeId);
  const waitNoMore = (userId: string, nodeId: string): void => {
    list.remove(userId, nodeId);
    listOfFailing.remove(userId, nodeId);
  };

  /** Sends what may be sent now, and looks again soon where something waits. */
  const fill = (): void => {
    for (let next = slots.next(); next !== undefined; next = slots.next()) {
      const [userId, nodeId] = next;
      const node = nodes.get(nodeId);
      if (node?.goOn !== undefined) node.goOn(userId);
      else if (node !== undefined) void work(userId, node);
    }
    if (list.turns() + listOfFailing.turns() === 0) return;
    tick ??= setTimeout(() => {
      tick = undefined;
      shed();
      fill();
    }, PROBE_MS);
  };

  const work = async (userId: string, node: Node<Call, F, A>): Promise<void> => {
    const { nodeId, queue } = node;
    const tickets = takeGroup(node);
    if (!isNonEmpty(tickets)) return;
    node.busySince = now();
    const until = Math.max(...tickets.map((ticket) => ticket.until));
    const take = (whose: string) => slots.take(parts.kindOf(nodeId), whose, failing.has(nodeId));
    let unit = take(userId);
    const beforeRetry: BeforeRetry = async (pauseMs) => {
      failing.set(nodeId, true);
      slots.release(unit);
      fill();
      await pause(pauseMs);
      return itsTurn(userId, node, until, (whose) => (unit = take(whose)));
    };
    const group = { calls: map(({ call }: Ticket<Call, F, A>) => call)(tickets), until, since: tickets[0].since };
    const { answers, ifNotSent, isAnswered, tells, completed } = await parts.send(nodeId, group, beforeRetry);
    if (isAnswered) {
      failing.delete(nodeId);
      slots.answered(unit, tells);
    } else {
      failing.set(nodeId, true);
      slots.release(unit);
    }
    answers.forEach((answer, index) => tickets[index]?.answer(answer));
    const isPutBack = putBack(node, tickets.slice(answers.length), ifNotSent);
    const expected = answers.length > 1 ? Math.min(gathers, queue.waiting.size + answers.length) : 0;
    fill();
    await completed;
    if (isPutBack && answers.length === 0) await pause(backoffMs(PAUSES, node.tookNothing++));
    else node.tookNothing = 0;
    if (expected > 0) await gathered(node, expected);
    node.busySince = undefined;
    for (const whose of queue.ofUsers.keys()) wait(whose, nodeId);
    if (queue.waiting.size === 0) nodes.delete(nodeId);
    fill();
  };

  /** Waits for a slot for the work in flight to a node; whether it got one before the deadline. */
  const itsTurn = (userId: string, node: Node<Call, F, A>, until: number, take: (whose: string) => void) =>
    new Promise<boolean>((resolve) => {
      const end = (hasSlot: boolean): void => {
        clearTimeout(timer);
        node.goOn = undefined;
        resolve(hasSlot);
      };
      const timer = setTimeout(
        () => {
          waitNoMore(userId, node.nodeId);
          end(false);
        },
        Math.max(0, until - now()),
      );
      node.goOn = (whose) => {
        take(whose);
        end(true);
      };
      wait(userId, node.nodeId);
      fill();
    });

  /** Takes the next calls that go together; none where all that waited are late, as their timers are then. */
  const takeGroup = ({ queue }: Node<Call, F, A>): ReadonlyArray<Ticket<Call, F, A>> => {
    const group: Ticket<Call, F, A>[] = [];
    let bytes = 0;
    for (const ticket of queue.waiting) {
      if (group.length >= mostTogether) break;
      if (ticket.until <= now()) {
        leave(ticket, 'late');
        continue;
      }
      bytes += bytesOf(ticket.call);
      if (group.length > 0 && bytes > mostBytes) break;
      group.push(ticket);
    }
    for (const ticket of group) {
      Q.remove(queue, ticket);
      ticket.isSent = true;
    }
    return group;
  };

  /** Those that were not taken wait again; whether there are any. */
  const putBack = ({ queue }: Node<Call, F, A>, left: ReadonlyArray<Ticket<Call, F, A>>, ifNotSent?: F): boolean => {
    const again = left.filter(({ isAnswered }) => !isAnswered);
    if (again.length === 0) return false;
    Q.putBack(queue, again);
    for (const ticket of again) {
      ticket.isSent = false;
      ticket.ifNotSent = ifNotSent;
      if (ticket.by.gone?.aborted === true) leave(ticket, 'gone');
    }
    return true;
  };

  const refused = (why: NotSent, afterMs = 0): Outage => {
    metrics?.refused(why);
    switch (why) {
      case 'overload':
      case 'share':
        return { _tag: 'Overloaded', retryAfter: slots.retryAfter(afterMs - patienceMs), isOwnShare: why === 'share' };
      case 'node':
        return { _tag: 'QueueFull', retryAfter: 1 };
      default:
        return noAnswerOf('The node', Math.max(1, Math.ceil(Math.min(afterMs, deadlineMs) / 1_000)));
    }
  };

  /** Takes a call that waits out of its queue, and answers it; nothing where it does not wait. */
  const leave = (ticket: Ticket<Call, F, A>, why: NotSent, afterMs?: number): void => {
    const { nodeId, by, ifNotSent } = ticket;
    const node = nodes.get(nodeId);
    if (node === undefined || !Q.remove(node.queue, ticket)) return;
    const isIdle = node.busySince === undefined;
    if (isIdle && !node.queue.ofUsers.has(by.userId)) waitNoMore(by.userId, nodeId);
    if (node.queue.waiting.size === 0) node.tookNothing = 0;
    if (node.queue.waiting.size === 0 && isIdle) nodes.delete(nodeId);
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
  const refusal = (nodeId: string, { userId }: Behalf = NOBODY): Outage | undefined => {
    slots.follow();
    shed();
    const node = nodes.get(nodeId);
    const groups = Math.floor((node?.queue.waiting.size ?? 0) / mostTogether);
    // What is in flight to the node will probably take as long again as it took so far.
    const busyMs = node?.busySince === undefined ? 0 : (groups + 1) * (now() - node.busySince);
    if (busyMs > deadlineMs / 2) return refused('unresponsive', busyMs);
    const failingMs = slots.failingWaitMs();
    if (failing.has(nodeId))
      return failingMs > patienceMs && node === undefined ? refused('unresponsive', failingMs) : undefined;
    const waitMs = slots.waitMs(list.turnsUntil(userId)) + groups * slots.waitMs(list.turns());
    // One that joins the group of a waiting node costs next to nothing.
    return waitMs > (list.has(nodeId) ? HYSTERESIS : 1) * patienceMs ? refused(whoseFault(userId), waitMs) : undefined;
  };

  /** The refusal of a call that was submitted. */
  const notTaken = (nodeId: string, by: Behalf, until: number): Outage | undefined => {
    if (by.gone?.aborted === true) return refused('gone');
    if (until <= now()) return refused('late');
    const refusedNow = refusal(nodeId, by);
    const queue = nodes.get(nodeId)?.queue;
    if (refusedNow !== undefined || queue === undefined || queue.waiting.size < mostWaiting) return refusedNow;
    // The newest call of the user who has most in a full queue makes place, unless that is the newcomer.
    const newest = Q.newestOfMost(queue, by.userId);
    if (newest === undefined) return refused('node');
    leave(newest, 'node');
    return undefined;
  };

  const endings: Endings<Ticket<Call, F, A>> = {
    answered: ({ by: { userId } }) => {
      const others = (users.get(userId) ?? 1) - 1;
      if (others === 0) users.delete(userId);
      else users.set(userId, others);
    },
    gone: (ticket) => leave(ticket, 'gone'),
    expired: (ticket) => {
      if (ticket.isSent) ticket.answer(E.left({ _tag: 'TimedOut' }));
      else leave(ticket, failing.has(ticket.nodeId) ? 'unresponsive' : 'late');
    },
  };

  const submit = (nodeId: string, call: Call, by: Behalf = NOBODY): Promise<E.Either<F | Outage, A>> => {
    const { userId } = by;
    const since = now();
    const until = by.until ?? since + deadlineMs;
    const outage = notTaken(nodeId, by, until);
    if (outage !== undefined) return Promise.resolve(E.left(outage));
    return new Promise((resolve) => {
      const mostWaitMs = failing.has(nodeId) ? patienceMs : Infinity;
      const ticket = createTicket({ call, nodeId, by, until, since }, mostWaitMs, endings, resolve);
      const node: Node<Call, F, A> = nodes.get(nodeId) ?? { nodeId, queue: Q.emptyQueue(), tookNothing: 0 };
      nodes.set(nodeId, node);
      users.set(userId, (users.get(userId) ?? 0) + 1);
      slots.calls(userId);
      Q.add(node.queue, ticket);
      node.arrived?.();
      if (node.busySince === undefined) wait(userId, nodeId);
      fill();
    });
  };
  /** The refusal of a call that is not even looked at, as its user sends too many. */
  const tooMany = (): Outage => {
    const [most = ''] = list.newestOfMost() ?? users.keys();
    return refused(whoseFault(most), slots.waitMs(list.turns()));
  };
  metrics?.watch(() => ({
    waiting: [...nodes.values()].reduce((sum, { queue }) => sum + queue.waiting.size, 0),
    ...slots.state(),
    expectedSeconds: slots.waitMs(list.turns()) / 1_000,
  }));
  return { submit, refusal, tooMany };
};

/** Resolves once `count` calls wait for a node, or after `GATHER_MS`. */
const gathered = async <Call, F, A>(node: Node<Call, F, A>, count: number): Promise<void> => {
  const enough = new AbortController();
  node.arrived = () => {
    if (node.queue.waiting.size >= count) enough.abort();
  };
  node.arrived();
  await pause(GATHER_MS, enough.signal);
  node.arrived = undefined;
};
