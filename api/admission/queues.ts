import * as E from 'fp-ts/Either';
import { isNonEmpty } from 'fp-ts/ReadonlyArray';
import { map, type ReadonlyNonEmptyArray } from 'fp-ts/ReadonlyNonEmptyArray';
import { backoffMs, pause } from '../../process/backoff';
import type { Behalf, Outage } from '../ports';
import * as Q from './queue';
import type { QueueMetrics } from './queue-metrics';
import { createRefusals, PATIENCE } from './refusals';
import { createSlots, PROBE_MS } from './slots';
import { createTicket, type Endings, type Ticket } from './ticket';
import { createWaitingNodes, type Node } from './waiting-nodes';

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

/** The slot of the work for a node, which its attempts hold, and not the pauses between them. */
export interface Slot {
  /** An attempt failed. */
  readonly giveBack: () => void;
  /** Waits for a slot for the next attempt; whether there was one before `end`. */
  readonly takeAgain: (end: number) => Promise<boolean>;
}

export interface QueuesParts<Call, F, A> extends Q.GroupLimits<Call> {
  readonly deadlineMs: number;
  /** Most calls that wait for one node. */
  readonly mostWaiting: number;
  /** Calls that are waited for after a group of several, whose callers come back. */
  readonly gathers?: number;
  /** What the work for a node costs, as a name; the first one is the usual kind. */
  readonly kinds: readonly [usual: string, ...others: ReadonlyArray<string>];
  readonly kindOf: (nodeId: string) => string;
  /** Sends a group. Never rejects. */
  readonly send: (nodeId: string, group: Group<Call>, slot: Slot) => Promise<Outcomes<F, A>>;
  readonly metrics?: QueueMetrics;
}

/** Time (ms) that a node waits for the callers of an answered group (docs/contributing/benchmarks-tables.md, "Others"). */
const GATHER_MS = 4;

/** Pauses (ms) before calls are resent to a node that had no room for any. */
const PAUSES = { firstMs: 20, longestMs: 400 };

const NOBODY: Behalf = { userId: '' };

/**
 * A queue per node, one piece of work in flight for each, and slots for as many as the server takes at once (docs/admission.md).
 * A node that waits for a slot gathers calls meanwhile. A call that would have to wait too long is refused at once, and so are
 * the newest of the user who has most waiting when the server becomes slower.
 */
export const createQueues = <Call, F, A>(parts: QueuesParts<Call, F, A>) => {
  const { deadlineMs, gathers = 0, metrics } = parts;
  const now = (): number => performance.now();
  const patienceMs = PATIENCE * deadlineMs;
  const nodes = createWaitingNodes<Call, F, A>();
  const { list, failingList } = nodes;
  const slots = createSlots(list, failingList, parts.kinds[0], patienceMs, deadlineMs);
  const users = new Map<string, number>(); // calls without an answer
  const refusals = createRefusals({ ...parts, patienceMs }, nodes, slots, users, metrics);
  const { leave, shed } = refusals;
  let tick: NodeJS.Timeout | undefined;

  /** Sends what may be sent now, and looks again soon where something waits. */
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

  const work = async (userId: string, node: Node<Call, F, A>): Promise<void> => {
    const rest = await sendNext(userId, node);
    if (rest === undefined) return;
    const { completed, tookNothing, expected } = rest;
    fill();
    await completed; // as long as the node is stuck: nothing here may hold the calls
    if (tookNothing) await pause(backoffMs(PAUSES, node.tookNothing++));
    else node.tookNothing = 0;
    if (expected > 0) await gathered(node, expected);
    nodes.done(node);
    fill();
  };

  /** Sends the next group of a node, and answers its calls; what is left to do for the node, where there was one. */
  const sendNext = async (userId: string, node: Node<Call, F, A>) => {
    const { nodeId, queue } = node;
    const { group: tickets, late } = Q.nextGroup(queue, parts, now());
    for (const ticket of late) leave(ticket, 'late'); // their timers are late as well
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
      slots.answered(unit, sent.tells);
    } else {
      nodes.failed(nodeId);
      slots.failed(unit);
    }
    answers.forEach((answer, index) => tickets[index]?.answer(answer));
    const isPutBack = putBack(node, tickets.slice(answers.length), sent.ifNotSent);
    const expected = answers.length > 1 ? Math.min(gathers, queue.waiting.size + answers.length) : 0;
    return { completed: sent.completed, tookNothing: isPutBack && answers.length === 0, expected };
  };

  /** Waits for a slot for the work in flight to a node; whether it got one before `end`. */
  const itsTurn = (userId: string, node: Node<Call, F, A>, end: number, take: (whose: string) => void) =>
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

  const submit = (nodeId: string, call: Call, by: Behalf = NOBODY): Promise<E.Either<F | Outage, A>> => {
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
    /** The refusal of a call that would not be taken in now. */
    refusal: (nodeId: string, { userId }: Behalf = NOBODY) => refusals.refusal(nodeId, userId),
    tooMany: refusals.tooMany,
  };
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
