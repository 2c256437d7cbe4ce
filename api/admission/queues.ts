import * as E from 'fp-ts/Either';
import { isNonEmpty } from 'fp-ts/ReadonlyArray';
import { map, type ReadonlyNonEmptyArray } from 'fp-ts/ReadonlyNonEmptyArray';
import { backoffMs, pause } from '../../process/backoff';
import type { Caller, Outage } from '../ports';
import * as Q from './queue';
import type { QueueMetrics } from './queue-metrics';
import { createRefusals, PATIENCE } from './refusals';
import { createSlots, PROBE_MS } from './slots';
import { createTicket, type Endings, type Ticket } from './ticket';
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
  readonly giveBack: () => void;
  /** Waits for a slot for the next attempt; returns whether one was free before the time `end`. */
  readonly takeAgain: (end: number) => Promise<boolean>;
}

export interface QueuesParts<Call, F, A> extends Q.GroupLimits<Call> {
  readonly deadlineMs: number;
  /** Most calls that wait for one node. */
  readonly mostWaiting: number;
  /** After a group of several calls, wait up to `GATHER_MS` for at most this many calls, because callers usually call again. */
  readonly gathers?: number;
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
  const { deadlineMs, gathers = 0, metrics } = parts;
  const now = (): number => performance.now();
  const patienceMs = PATIENCE * deadlineMs;
  const nodes = createWaitingNodes<Call, F, A>();
  const { list, failingList } = nodes;
  const slots = createSlots(list, failingList, parts.kinds[0], patienceMs, deadlineMs);
  const users = new Map<string, number>(); // by user, the number of calls that have no answer yet
  const refusals = createRefusals({ ...parts, patienceMs }, nodes, slots, users, metrics);
  const { leave, shed } = refusals;
  let tick: NodeJS.Timeout | undefined;

  /** Sends the groups that can have a slot now. While nodes still wait for a slot, a timer repeats the call. */
  const fill = (): void => {
    for (let next = slots.next(); next !== undefined; next = slots.next()) {
      const [userId, nodeId] = next;
      const node = nodes.get(nodeId);
      if (node?.goOn !== undefined) node.goOn(userId);
      else if (node !== undefined) void work(userId, node);
    }
    if (list.turns() + failingList.turns() === 0) return;
    tick ??= setTimeout(() => {
      tick = undefined;
      shed();
      fill();
    }, PROBE_MS);
  };

  const work = async (userId: string, node: WaitingNode<Call, F, A>): Promise<void> => {
    const rest = await sendNext(userId, node);
    if (rest === undefined) return;
    const { completed, tookNothing, expected } = rest;
    fill();
    await completed; // lasts until a stuck node answers; the calls that wait meanwhile end by their own timers
    if (tookNothing) await pause(backoffMs(PAUSES, node.tookNothing++));
    else node.tookNothing = 0;
    if (expected > 0) await gathered(node, expected);
    nodes.done(node);
    fill();
  };

  /** Sends the next group of a node, and answers its calls. Returns what must happen before the node's next group. */
  const sendNext = async (userId: string, node: WaitingNode<Call, F, A>) => {
    const { nodeId, queue } = node;
    const { group: tickets, late } = Q.nextGroup(queue, parts, now());
    for (const ticket of late) leave(ticket, 'late'); // their deadline has passed, but their timer has not fired yet
    if (!isNonEmpty(tickets)) return undefined;
    for (const ticket of tickets) {
      Q.remove(queue, ticket);
      ticket.isSent = true;
    }
    node.busySince = now();
    const take = (whose: string) => slots.take(parts.kindOf(nodeId), whose, nodes.isFailing(nodeId));
    let unit = take(userId);
    const slot: Slot = {
      giveBack: () => {
        nodes.failed(nodeId);
        slots.failed(unit);
        fill();
      },
      takeAgain: (end) => itsTurn(userId, node, end, (whose) => (unit = take(whose))),
    };
    const calls = map(({ call }: Ticket<Call, F, A>) => call)(tickets);
    const until = Math.max(...tickets.map((ticket) => ticket.until));
    const { answers, ...sent } = await parts.send(nodeId, { calls, until, since: tickets[0].since }, slot);
    if (sent.isAnswered) {
      nodes.answered(nodeId);
      slots.answered(unit, sent.showsLoad);
    } else {
      nodes.failed(nodeId);
      slots.failed(unit);
    }
    answers.forEach((answer, index) => tickets[index]?.answer(answer));
    const isPutBack = putBack(node, tickets.slice(answers.length), sent.ifNotSent);
    const expected = answers.length > 1 ? Math.min(gathers, queue.waiting.size + answers.length) : 0;
    return { completed: sent.completed, tookNothing: isPutBack && answers.length === 0, expected };
  };

  /** Waits for a slot for the next attempt to send the node's group; returns whether one was free before `end`. */
  const itsTurn = (userId: string, node: WaitingNode<Call, F, A>, end: number, take: (whose: string) => void) =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(
        () => {
          nodes.waitNoMore(userId, node.nodeId);
          node.goOn = undefined;
          resolve(false);
        },
        Math.max(0, end - now()),
      );
      node.goOn = (whose) => {
        clearTimeout(timer);
        node.goOn = undefined;
        take(whose);
        resolve(true);
      };
      nodes.wait(userId, node.nodeId);
      fill();
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
      if (ticket.by.gone?.aborted === true) leave(ticket, 'gone');
    }
    return true;
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
      else leave(ticket, nodes.isFailing(ticket.nodeId) ? 'unresponsive' : 'late');
    },
  };

  const submit = (nodeId: string, call: Call, by: Caller = NOBODY): Promise<E.Either<F | Outage, A>> => {
    const { userId } = by;
    const since = now();
    const until = by.until ?? since + deadlineMs;
    const outage = refusals.notTaken(nodeId, by, until);
    if (outage !== undefined) return Promise.resolve(E.left(outage));
    return new Promise((resolve) => {
      const mostWaitMs = nodes.isFailing(nodeId) ? patienceMs : Infinity;
      const ticket = createTicket({ call, nodeId, by, until, since }, mostWaitMs, endings, resolve);
      users.set(userId, (users.get(userId) ?? 0) + 1);
      slots.arrives(userId);
      nodes.add(ticket);
      fill();
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
const gathered = async <Call, F, A>(node: WaitingNode<Call, F, A>, count: number): Promise<void> => {
  const enough = new AbortController();
  node.arrived = () => {
    if (node.queue.waiting.size >= count) enough.abort();
  };
  node.arrived();
  await pause(GATHER_MS, enough.signal);
  node.arrived = undefined;
};
