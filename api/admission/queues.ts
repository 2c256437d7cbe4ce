import * as E from 'fp-ts/Either';
import { pause } from '../../process/backoff';
import { type Behalf, type Outage, noAnswerOf } from '../ports';
import type { NotSent, QueueMetrics } from './queue-metrics';
import { createSlots } from './slots';
import { createWaitingList } from './waiting-list';

/** A call from its arrival to its answer; it is answered once. */
export interface Ticket<Call, F, A> {
  readonly call: Call;
  readonly userId: string;
  /** Deadline, epoch ms. */
  readonly until: number;
  /** Arrival by `performance.now()`. */
  readonly since: number;
  readonly answer: (result: E.Either<F | Outage, A>) => void;
  isSent: boolean;
  isAnswered: boolean;
  /** The answer of one that has to wait again, should its deadline pass first. */
  ifNotSent?: F | Outage;
}

export interface QueuesParts<Call, F, A> {
  readonly deadlineMs: number;
  /** Most calls that wait for one node, and most that are sent together. */
  readonly mostWaiting: number;
  readonly mostTogether: number;
  /** What the work for a node costs, as a name; the first one is the usual kind. */
  readonly kinds: readonly [usual: string, ...others: ReadonlyArray<string>];
  readonly kindOf: (nodeId: string) => string;
  /**
   * Takes calls out of `waiting`, sends and answers them; `free` gives the slot back, with the round trip (ms) where that tells
   * of the server. Those left in `waiting` are sent after it resolves. It resolves to the number of calls that will probably
   * wait in a moment. Never rejects.
   */
  readonly send: (nodeId: string, waiting: Ticket<Call, F, A>[], free: (ms?: number) => void) => Promise<number>;
  readonly metrics?: QueueMetrics;
}

interface Queue<Call, F, A> {
  readonly waiting: Ticket<Call, F, A>[];
  /** Since when (ms) its work is in flight; absent: it waits for a slot. */
  busySince?: number | undefined;
  /** Called as a call arrives. */
  arrived?: (() => void) | undefined;
}

/** Share of its deadline that a call may be expected to wait: an estimate may be off by far, and its round trip comes on top. */
const PATIENCE = 0.3;
/** What has been taken in is refused only when it is expected to wait longer than this many times that. */
const HYSTERESIS = 1.25;

/** Time (ms) that a queue waits for the callers of an answered group (docs/contributing/benchmarks-tables.md, "Others"). */
const GATHER_MS = 4;

/** Time (ms) for which a user who called counts as one of several. */
const RECENT_MS = 1_000;

const NOBODY: Behalf = { userId: '' };

/**
 * A queue per node, one piece of work in flight for each, and slots for as many as the server takes at once (docs/admission.md).
 * A node that waits for a slot gathers calls meanwhile. A call that would have to wait too long is refused at once, and so are
 * the newest of the user who has most waiting when the server becomes slower.
 */
export const createQueues = <Call, F, A>(parts: QueuesParts<Call, F, A>) => {
  const { deadlineMs, mostWaiting, mostTogether, kinds, metrics } = parts;
  const queues = new Map<string, Queue<Call, F, A>>();
  const list = createWaitingList<string>();
  const users = new Map<string, number>(); // calls without an answer
  const patienceMs = PATIENCE * deadlineMs;
  const hasMore = (): boolean => list.turns() > 0;
  let lastUser: string | undefined;
  let sharedUntil = 0;
  const isShared = (): boolean => performance.now() < sharedUntil;
  /** Whether most of what waits, and too much of it, is the user's, while others call. */
  const floods = (userId: string): boolean =>
    isShared() && 2 * list.of(userId).size > list.turns() && waitMs(list.turns()) > patienceMs / 2;
  const slots = createSlots(kinds[0], hasMore, isShared, floods, patienceMs, deadlineMs);
  const { areFree, take, follow, waitMs, retryAfter, state } = slots;

  const fill = (): void => {
    for (;;) {
      const [userId, nodeId] = list.next(areFree) ?? [];
      const queue = nodeId === undefined ? undefined : queues.get(nodeId);
      if (nodeId === undefined || userId === undefined || queue === undefined) return;
      void work(userId, nodeId, queue);
    }
  };

  const work = async (whose: string, nodeId: string, queue: Queue<Call, F, A>): Promise<void> => {
    const late = queue.waiting.filter(({ until }) => until <= Date.now()); // their timers are late as well
    for (const ticket of late) leave(nodeId, ticket, ticket.ifNotSent ?? refused('late'));
    if (queue.waiting.length === 0) return;
    queue.busySince = performance.now();
    const giveBack = take(parts.kindOf(nodeId), whose);
    let isFree = false;
    const free = (ms?: number): void => {
      if (isFree) return;
      isFree = true;
      giveBack(fill, ms);
    };
    const expected = await parts.send(nodeId, queue.waiting, free);
    free();
    if (expected > 0) await gathered(queue, expected);
    queue.busySince = undefined;
    if (queue.waiting.length === 0) queues.delete(nodeId);
    for (const { userId } of queue.waiting) list.add(userId, nodeId);
    fill();
  };

  const refused = (why: NotSent, wait?: number): Outage => {
    metrics?.refused(why);
    return outageOf(why, wait === undefined ? 1 : retryAfter(wait - patienceMs));
  };

  /** Takes a call that waits out of its queue, and answers it. */
  const leave = (nodeId: string, ticket: Ticket<Call, F, A>, outage: F | Outage): void => {
    const queue = queues.get(nodeId);
    const at = queue?.waiting.indexOf(ticket) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.waiting.splice(at, 1);
    if (!queue.waiting.some(({ userId }) => userId === ticket.userId)) list.remove(ticket.userId, nodeId);
    if (queue.waiting.length === 0 && queue.busySince === undefined) queues.delete(nodeId);
    ticket.answer(E.left(outage));
  };

  /** The calls that have to wait too long since the server became slower leave, newest first. */
  const shed = (): void => {
    for (;;) {
      const wait = waitMs(list.turns());
      const newest = wait > HYSTERESIS * patienceMs ? list.newestOfMost() : undefined;
      if (newest === undefined) return;
      const [userId, nodeId] = newest;
      const theirs = queues.get(nodeId)?.waiting.filter((ticket) => ticket.userId === userId) ?? [];
      for (const ticket of theirs.reverse()) leave(nodeId, ticket, refused(whoseFault(userId), wait));
      list.remove(userId, nodeId);
    }
  };
  /** Whether the server is full, or the user alone has too much waiting. */
  const whoseFault = (userId: string): NotSent => {
    const others = users.size - (users.has(userId) ? 1 : 0);
    return others > 0 && waitMs(list.turnsUntil('')) <= patienceMs ? 'share' : 'overload';
  };

  /** The refusal of a call that would not be taken in now. */
  const refusal = (nodeId: string, { userId }: Behalf = NOBODY): Outage | undefined => {
    follow();
    shed();
    const now = performance.now();
    const { waiting = [], busySince = now } = queues.get(nodeId) ?? {};
    const groups = Math.floor(waiting.length / mostTogether);
    // What is in flight to the node will probably take as long again as it took so far.
    const busyMs = (groups + 1) * (now - busySince);
    if (busyMs > deadlineMs / 2) return refused('overload', busyMs);
    const wait = waitMs(list.turnsUntil(userId)) + groups * waitMs(list.turns());
    // One that joins the group of a waiting node costs next to nothing.
    return wait > (list.has(nodeId) ? HYSTERESIS : 1) * patienceMs ? refused(whoseFault(userId), wait) : undefined;
  };

  /** Makes place in a full queue: the newest call of the user who has most in it leaves, unless that is the newcomer. */
  const makePlace = (nodeId: string, { waiting }: Queue<Call, F, A>, newcomer: string): boolean => {
    const counts = new Map<string, number>([[newcomer, 1]]);
    for (const { userId } of waiting) counts.set(userId, (counts.get(userId) ?? 0) + 1);
    const [most] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
    const newest = waiting.findLast(({ userId }) => userId === most);
    if (most === newcomer || newest === undefined) return false;
    leave(nodeId, newest, refused('node'));
    return true;
  };

  const submit = (nodeId: string, call: Call, by: Behalf = NOBODY): Promise<E.Either<F | Outage, A>> =>
    new Promise((resolve) => {
      const { userId, gone } = by;
      const refusedNow = gone?.aborted === true ? refused('gone') : refusal(nodeId, by);
      if (refusedNow !== undefined) {
        resolve(E.left(refusedNow));
        return;
      }
      const known = queues.get(nodeId);
      if (known !== undefined && known.waiting.length >= mostWaiting && !makePlace(nodeId, known, userId)) {
        resolve(E.left(refused('node')));
        return;
      }
      const queue: Queue<Call, F, A> = queues.get(nodeId) ?? { waiting: [] };
      queues.set(nodeId, queue);
      const timer = setTimeout(() => {
        if (ticket.isSent) ticket.answer(E.left({ _tag: 'TimedOut' }));
        else leave(nodeId, ticket, ticket.ifNotSent ?? refused('late'));
      }, deadlineMs);
      const ticket: Ticket<Call, F, A> = {
        ...{ call, userId, until: Date.now() + deadlineMs, since: performance.now(), isSent: false, isAnswered: false },
        answer: (result) => {
          if (ticket.isAnswered) return;
          ticket.isAnswered = true;
          clearTimeout(timer);
          const others = (users.get(userId) ?? 1) - 1;
          if (others === 0) users.delete(userId);
          else users.set(userId, others);
          resolve(result);
        },
      };
      users.set(userId, (users.get(userId) ?? 0) + 1);
      if (userId !== (lastUser ?? userId)) sharedUntil = performance.now() + RECENT_MS;
      lastUser = userId;
      queue.waiting.push(ticket);
      queue.arrived?.();
      gone?.addEventListener('abort', () => {
        if (!ticket.isSent) leave(nodeId, ticket, refused('gone'));
      });
      if (queue.busySince === undefined) list.add(userId, nodeId);
      fill();
    });
  /** The refusal of a call that is not even looked at, as its user sends too many. */
  const tooMany = (): Outage => {
    const [most = ''] = list.newestOfMost() ?? users.keys();
    return refused(whoseFault(most), waitMs(list.turns()));
  };
  metrics?.watch(() => ({
    waiting: [...queues.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
    ...state(),
    expectedSeconds: waitMs(list.turns()) / 1_000,
  }));
  return { submit, refusal, tooMany };
};

/** The outage behind a call that was not sent. */
const outageOf = (why: NotSent, retryAfter: number): Outage => {
  if (why === 'overload' || why === 'share') return { _tag: 'Overloaded', retryAfter, isOwnShare: why === 'share' };
  if (why === 'node') return { _tag: 'QueueFull', retryAfter };
  return noAnswerOf('The node', retryAfter);
};

/** Resolves once `count` calls wait in `queue`, or after `GATHER_MS`. */
const gathered = async <Call, F, A>(queue: Queue<Call, F, A>, count: number): Promise<void> => {
  const enough = new AbortController();
  queue.arrived = () => {
    if (queue.waiting.length >= count) enough.abort();
  };
  queue.arrived();
  await pause(GATHER_MS, enough.signal);
  queue.arrived = undefined;
};
