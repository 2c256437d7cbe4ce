import * as E from 'fp-ts/Either';
import { isNonEmpty } from 'fp-ts/ReadonlyArray';
import { map, type ReadonlyNonEmptyArray } from 'fp-ts/ReadonlyNonEmptyArray';
import { backoffMs, pause } from '../../process/backoff';
import type { Caller, Outage } from '../ports';
import * as Q from './queue';
import type { QueueMetrics } from './queue-metrics';
import { createRefusals, PATIENCE } from './refusals';
import { createSlots, PROBE_MS } from './slots';
import { createTicket, type TicketEvents, type Ticket } from './ticket';
import { createWaitingNodes, type WaitingNode } from './waiting-nodes';

export interface CallGroup<Call> {
  readonly calls: ReadonlyNonEmptyArray<Call>;
  /** The latest deadline of the calls, and their earliest arrival, as times of `performance.now()`. */
  readonly until: number;
  readonly since: number;
}

export interface Outcomes<F, A> {
  /** The answers to the first calls of the group. The remaining calls are sent again. */
  readonly answers: ReadonlyArray<E.Either<F | Outage, A>>;
  /** The answer to a call that should be sent again, if its deadline passes before that. */
  readonly ifNotSent?: F | undefined;
  /** Whether the node answered. If it did not, the node counts as failing. */
  readonly isAnswered: boolean;
  /** Whether the group's round trip shows how busy the server is. */
  readonly showsLoad: boolean;
  /** Resolves when the node's next group may be sent, and never rejects. If absent, the next group may be sent at once. */
  readonly completed?: Promise<void>;
}

/** A slot: the right to have one attempt to call a node in flight. The pauses between attempts need no slot. */
export interface Slot {
  /** Gives the slot back after the attempt failed. */
  readonly release: () => void;
  /** Waits for a slot for the next attempt; returns whether one was free before the time `end`. */
  readonly reacquire: (end: number) => Promise<boolean>;
}

export interface QueuesParts<Call, F, A> extends Q.GroupLimits<Call> {
  readonly deadlineMs: number;
  /** Most calls that wait for one node. */
  readonly mostWaiting: number;
  /** After a group of several calls, wait up to `GATHER_MS` for at most this many calls, because callers usually call again. */
  readonly gatheredCalls?: number;
  /** Kinds of groups, which differ in what they cost the server. The first one is the usual kind. */
  readonly kinds: readonly [usual: string, ...others: ReadonlyArray<string>];
  readonly kindOf: (nodeId: string) => string;
  /** Sends a group of calls to a node. Never rejects. */
  readonly send: (nodeId: string, group: CallGroup<Call>, slot: Slot) => Promise<Outcomes<F, A>>;
  readonly metrics?: QueueMetrics;
}

/** Longest wait (ms) for the callers of a group to call again (docs/contributing/benchmarks-tables.md, "Others"). */
const GATHER_MS = 4;

/** Pauses (ms) before calls are sent again to a node that took none of them because its outbox was full. */
const PAUSES = { firstMs: 20, longestMs: 400 };

const NOBODY: Caller = { userId: '' };

/**
 * Queues the calls of each node. At most one group per node is in flight, and over all nodes as many as the server takes at
 * once: each group needs a slot (docs/contributing/admission.md). While a node waits for a slot, further calls join its group.
 * A call that would wait too long is refused at once. If the server becomes slower, waiting calls are refused too: the newest
 * calls of the user who waits for most nodes.
 */
export const createQueues = <Call, F, A>(parts: QueuesParts<Call, F, A>) => {
  const { deadlineMs, gatheredCalls = 0, metrics } = parts;
  const now = (): number => performance.now();
  const patienceMs = PATIENCE * deadlineMs;
  const nodes = createWaitingNodes<Call, F, A>();
  const { list, failingList } = nodes;
  const slots = createSlots(list, failingList, parts.kinds[0], patienceMs, deadlineMs);
  const users = new Map<string, number>(); // by user, the number of calls that have no answer yet
  const refusals = createRefusals({ ...parts, patienceMs }, nodes, slots, users, metrics);
  const { refuseWaiting, shedLoad } = refusals;
  let tick: NodeJS.Timeout | undefined;

  /** Sends the groups that can have a slot now. While nodes still wait for a slot, a timer repeats the call. */
  const fillSlots = (): void => {
    for (let next = slots.next(); next !== undefined; next = slots.next()) {
      const [userId, nodeId] = next;
      const node = nodes.get(nodeId);
      if (node?.resumeWithSlot !== undefined) node.resumeWithSlot(userId);
      else if (node !== undefined) void serveNode(userId, node);
    }
    if (list.turns() + failingList.turns() === 0) return;
    tick ??= setTimeout(() => {
      tick = undefined;
      shedLoad();
      fillSlots();
    }, PROBE_MS);
  };

  const serveNode = async (userId: string, node: WaitingNode<Call, F, A>): Promise<void> => {
    const rest = await sendNextGroup(userId, node);
    if (rest === undefined) return;
    const { completed, nothingTaken, expected } = rest;
    fillSlots();
    await completed; // lasts until a stuck node answers; the calls that wait meanwhile end by their own timers
    if (nothingTaken) await pause(backoffMs(PAUSES, node.untakenGroups++));
    else node.untakenGroups = 0;
    if (expected > 0) await waitForCalls(node, expected);
    nodes.done(node);
    fillSlots();
  };

  /** Sends the next group of a node, and answers its calls. Returns what must happen before the node's next group. */
  const sendNextGroup = async (userId: string, node: WaitingNode<Call, F, A>) => {
    const { nodeId, queue } = node;
    const { group: tickets, late } = Q.nextGroup(queue, parts, now());
    for (const ticket of late) refuseWaiting(ticket, 'late'); // their deadline has passed, but their timer has not fired yet
    if (!isNonEmpty(tickets)) return undefined;
    for (const ticket of tickets) {
      Q.remove(queue, ticket);
      ticket.isSent = true;
    }
    node.busySince = now();
    const take = (forUser: string) => slots.acquire(parts.kindOf(nodeId), forUser, nodes.isFailing(nodeId));
    let unit = take(userId);
    const slot: Slot = {
      release: () => {
        nodes.failed(nodeId);
        slots.releaseFailed(unit);
        fillSlots();
      },
      reacquire: (end) => waitForSlot(userId, node, end, (forUser) => (unit = take(forUser))),
    };
    const calls = map(({ call }: Ticket<Call, F, A>) => call)(tickets);
    const until = Math.max(...tickets.map((ticket) => ticket.until));
    const { answers, ...sent } = await parts.send(nodeId, { calls, until, since: tickets[0].since }, slot);
    if (sent.isAnswered) {
      nodes.answered(nodeId);
      slots.releaseAnswered(unit, sent.showsLoad);
    } else {
      nodes.failed(nodeId);
      slots.releaseFailed(unit);
    }
    answers.forEach((answer, index) => tickets[index]?.answer(answer));
    const isPutBack = putBack(node, tickets.slice(answers.length), sent.ifNotSent);
    const expected = answers.length > 1 ? Math.min(gatheredCalls, queue.waiting.size + answers.length) : 0;
    return { completed: sent.completed, nothingTaken: isPutBack && answers.length === 0, expected };
  };

  /** Waits for a slot for the next attempt to send the node's group; returns whether one was free before `end`. */
  const waitForSlot = (userId: string, node: WaitingNode<Call, F, A>, end: number, take: (forUser: string) => void) =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(
        () => {
          nodes.stopWaiting(userId, node.nodeId);
          node.resumeWithSlot = undefined;
          resolve(false);
        },
        Math.max(0, end - now()),
      );
      node.resumeWithSlot = (forUser) => {
        clearTimeout(timer);
        node.resumeWithSlot = undefined;
        take(forUser);
        resolve(true);
      };
      nodes.wait(userId, node.nodeId);
      fillSlots();
    });

  /** Returns calls without an answer, which the node did not take, to its queue. The result says whether there were any. */
  const putBack = (
    { queue }: WaitingNode<Call, F, A>,
    left: ReadonlyArray<Ticket<Call, F, A>>,
    ifNotSent?: F,
  ): boolean => {
    const again = left.filter(({ isAnswered }) => !isAnswered);
    if (again.length === 0) return false;
    Q.putBack(queue, again);
    for (const ticket of again) {
      ticket.isSent = false;
      ticket.ifNotSent = ifNotSent;
      if (ticket.by.disconnected?.aborted === true) refuseWaiting(ticket, 'gone');
    }
    return true;
  };

  const ticketEvents: TicketEvents<Ticket<Call, F, A>> = {
    answered: ({ by: { userId } }) => {
      const others = (users.get(userId) ?? 1) - 1;
      if (others === 0) users.delete(userId);
      else users.set(userId, others);
    },
    disconnected: (ticket) => refuseWaiting(ticket, 'gone'),
    expired: (ticket) => {
      if (ticket.isSent) ticket.answer(E.left({ _tag: 'TimedOut' }));
      else refuseWaiting(ticket, nodes.isFailing(ticket.nodeId) ? 'unresponsive' : 'late');
    },
  };

  const submit = (nodeId: string, call: Call, by: Caller = NOBODY): Promise<E.Either<F | Outage, A>> => {
    const { userId } = by;
    const since = now();
    const until = by.until ?? since + deadlineMs;
    const outage = refusals.refusalOfArrival(nodeId, by, until);
    if (outage !== undefined) return Promise.resolve(E.left(outage));
    return new Promise((resolve) => {
      const mostWaitMs = nodes.isFailing(nodeId) ? patienceMs : Infinity;
      const ticket = createTicket({ call, nodeId, by, until, since }, mostWaitMs, ticketEvents, resolve);
      users.set(userId, (users.get(userId) ?? 0) + 1);
      slots.recordArrival(userId);
      nodes.add(ticket);
      fillSlots();
    });
  };
  metrics?.watch(() => ({
    waiting: nodes.calls(),
    ...slots.state(),
    expectedSeconds: slots.waitMs(list.turns()) / 1_000,
  }));
  return {
    submit,
    refusal: (nodeId: string, { userId }: Caller = NOBODY) => refusals.refusal(nodeId, userId),
    tooMany: refusals.tooMany,
  };
};

/** Resolves once `count` calls wait for the node, or after `GATHER_MS`. */
const waitForCalls = async <Call, F, A>(node: WaitingNode<Call, F, A>, count: number): Promise<void> => {
  const enough = new AbortController();
  node.onArrival = () => {
    if (node.queue.waiting.size >= count) enough.abort();
  };
  node.onArrival();
  await pause(GATHER_MS, enough.signal);
  node.onArrival = undefined;
};
