import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { backoffMs, pause } from '../../process/backoff';
import { jsonBytes } from '../../workflows/domain/codecs';
import { GROUP_COMMANDS } from '../../workflows/domain/limits';
import type { Outcome } from '../../workflows/domain/node/apply-commands';
import type { GroupReceipt } from '../../workflows/domain/node/apply-group';
import type { CommandName } from '../../workflows/domain/commands';
import type { Refusal } from '../../workflows/domain/commands/rejections';
import type { Outage, Sent } from '../ports';
import { unmeasured, type NodeQueueMetrics } from './node-queue-metrics';

/** Bytes of a group as JSON; a single command may have more. */
const GROUP_BYTES = 256 * 1_024;

/** Time (ms) between the end of a group and the deadline of its callers, in which its outcome reaches them. */
const ANSWER_MS = 100;

/**
 * Time (ms) that a queue waits for the callers of a group that was answered to come back, and the calls that are enough. Without
 * it their first calls go in a small group and the rest waits behind it (docs/benchmarks-tables.md, "Others"); in a group of
 * more calls each of them costs no less.
 */
const GATHER_MS = 4;
const GATHERED_CALLS = 16;

/** `Retry-After` (s) of a node with a full queue. */
const RETRY_AFTER = 1;

/** Pauses (ms) before commands are resent to a node whose outbox was full. */
const PAUSES = { firstMs: 20, longestMs: 400 };

export interface GroupedCommand extends Readonly<Record<string, unknown>> {
  readonly name: CommandName;
}

/** The outcome of a group, and when the next one may be sent. */
export interface SentGroup {
  readonly answer: E.Either<Outage, GroupReceipt>;
  /** Ends when the group is no longer in flight, and its events are in the stream or left to the node; never rejects. */
  readonly completed: Promise<void>;
}

/** Sends a group to a node; never rejects. `until`: deadline (epoch ms). */
export type SendGroup = (nodeId: string, commands: ReadonlyArray<GroupedCommand>, until: number) => Promise<SentGroup>;

export interface NodeQueueSettings {
  readonly sendGroup: SendGroup;
  readonly deadlineMs: number;
  /** Capacity of each queue, in calls. */
  readonly waitingCalls: number;
  /** Whether this process can publish events; only then calls wait while an outbox is full. */
  readonly canPublish?: () => boolean;
  readonly metrics?: NodeQueueMetrics;
}

type Result = E.Either<Refusal | Outage, Sent>;

/** A call in flight: answered once, by the node or by its deadline. */
interface Ticket {
  readonly command: GroupedCommand;
  readonly bytes: number;
  readonly until: number;
  /** By `performance.now()`. */
  readonly since: number;
  isSent: boolean;
  isAnswered: boolean;
  /** The answer when the deadline passes before it is sent. */
  ifNotSent: Refusal | Outage;
  readonly answer: (result: Result) => void;
}

/** The calls that wait for a node, and what is done as another one comes. */
interface Queue {
  readonly waiting: Ticket[];
  arrived: () => void;
}

/**
 * A queue per node: at most one group of commands is in flight to a node. Commands that arrive meanwhile wait in order and
 * go with the next group. So a node has one update in flight for any number of callers, below the server's limit
 * (docs/reliability.md).
 *
 * A node takes the commands whose events fit into its outbox; the rest goes back to the head of the queue.
 *
 * Errors: QueueFull where the queue is at its capacity; Unavailable or OutboxFull for a call that was not taken before its deadline, TimedOut
 *         for one whose outcome is unknown.
 */
export const createNodeQueues = (
  settings: NodeQueueSettings,
): ((nodeId: string, command: GroupedCommand) => TE.TaskEither<Refusal | Outage, Sent>) => {
  const queues = new Map<string, Queue>();
  const { metrics = unmeasured, canPublish = () => true } = settings;
  const drive = async (nodeId: string, queue: Queue): Promise<void> => {
    const { waiting } = queue;
    let pauses = 0;
    while (waiting.length > 0) {
      const group = takeGroup(waiting);
      const { answer, completed } = await sent(nodeId, group);
      const taken = takenOf(group, answer);
      group.slice(0, taken).forEach((ticket, index) => {
        ticket.answer(E.chain((receipt: GroupReceipt) => sentOf(receipt.outcomes[index]))(answer));
      });
      const isPutBack = putBack(waiting, group.slice(taken), answer);
      const expected = Math.min(GATHERED_CALLS, waiting.length + taken);
      await completed;
      if (taken > 1) await gathered(queue, expected);
      pauses = isPutBack && taken === 0 ? pauses + 1 : 0;
      if (pauses > 0) await pause(backoffMs(PAUSES, pauses - 1));
    }
    queues.delete(nodeId);
  };
  const sent = async (nodeId: string, group: ReadonlyArray<Ticket>): Promise<SentGroup> => {
    for (const ticket of group) ticket.isSent = true;
    const sentAt = performance.now();
    metrics.waiting(-group.length);
    metrics.sent(group.length, (sentAt - Math.min(...group.map(({ since }) => since))) / 1_000);
    const commands = group.map(({ command }) => command);
    const until = Math.max(...group.map((ticket) => ticket.until)) - Math.min(ANSWER_MS, settings.deadlineMs / 10);
    const sentGroup = await settings.sendGroup(nodeId, commands, until);
    metrics.completed((performance.now() - sentAt) / 1_000, E.isRight(sentGroup.answer));
    return sentGroup;
  };
  /** Commands that did not fit are resent, or answered at once where the events that fill the node cannot be published. */
  const putBack = (waiting: Ticket[], left: ReadonlyArray<Ticket>, answer: SentGroup['answer']): boolean => {
    const postponed = E.isRight(answer) ? answer.right.postponed : undefined;
    const refusal = postponed?._tag === 'OutboxFull' ? postponed : undefined;
    if (refusal !== undefined && !canPublish()) {
      for (const ticket of left) ticket.answer(E.left(refusal));
      return false;
    }
    const unanswered = left.filter(({ isAnswered }) => !isAnswered);
    for (const ticket of unanswered) {
      ticket.isSent = false;
      ticket.ifNotSent = refusal ?? notSent;
    }
    waiting.unshift(...unanswered);
    metrics.waiting(unanswered.length);
    return unanswered.length > 0;
  };
  return (nodeId, command) => () =>
    new Promise((resolve) => {
      const known = queues.get(nodeId);
      if (known !== undefined && known.waiting.length >= settings.waitingCalls) {
        resolve(E.left({ _tag: 'QueueFull', retryAfter: RETRY_AFTER }));
        return;
      }
      const queue = known ?? { waiting: [], arrived: nothing };
      queue.waiting.push(
        ticketOf(command, settings.deadlineMs, resolve, (ticket) => {
          queue.waiting.splice(queue.waiting.indexOf(ticket), 1);
          metrics.waiting(-1);
        }),
      );
      metrics.waiting(1);
      queue.arrived();
      if (known === undefined) {
        queues.set(nodeId, queue);
        void drive(nodeId, queue);
      }
    });
};

const nothing = (): void => undefined;

/** Resolves once `count` calls wait in `queue`, or after `GATHER_MS`. */
const gathered = async (queue: Queue, count: number): Promise<void> => {
  const enough = new AbortController();
  queue.arrived = () => {
    if (queue.waiting.length >= count) enough.abort();
  };
  queue.arrived();
  await pause(GATHER_MS, enough.signal);
  queue.arrived = nothing;
};

const ticketOf = (
  command: GroupedCommand,
  deadlineMs: number,
  resolve: (result: Result) => void,
  leave: (ticket: Ticket) => void,
): Ticket => {
  const timer = setTimeout(() => {
    if (!ticket.isSent) leave(ticket);
    ticket.answer(E.left(ticket.isSent ? { _tag: 'TimedOut' } : ticket.ifNotSent));
  }, deadlineMs);
  const ticket: Ticket = {
    command,
    bytes: jsonBytes(command),
    until: Date.now() + deadlineMs,
    since: performance.now(),
    isSent: false,
    isAnswered: false,
    ifNotSent: notSent,
    answer: (result) => {
      clearTimeout(timer);
      ticket.isAnswered = true;
      resolve(result);
    },
  };
  return ticket;
};

const notSent: Outage = { _tag: 'Unavailable', dependency: 'The node', retryAfter: RETRY_AFTER, mayHaveChanged: false };

/** The answer of an outcome to its caller. `Unchanged` is a success. */
export const sentOf = (outcome: Outcome | undefined): Result => {
  if (outcome === undefined) return E.left(noOutcome);
  if (outcome._tag === 'Refused') return E.left(outcome.refusal);
  const { revision, patched } = outcome;
  return E.right({
    revision,
    ...(patched !== undefined && { patched }),
    ...(outcome._tag === 'Unchanged' && { unchanged: true }),
  });
};

/** The number of answered commands of a group; all of a lost one. */
const takenOf = (group: ReadonlyArray<Ticket>, answer: SentGroup['answer']): number =>
  E.isRight(answer) && answer.right.postponed !== undefined ? answer.right.outcomes.length : group.length;

/** A node of another release that answers fewer commands than it was sent. */
const noOutcome: Outage = { _tag: 'Unavailable', dependency: 'The node', retryAfter: 1, mayHaveChanged: true };

/** Takes the first tickets of `waiting` out: at least one, and as many more as fit into a group. */
const takeGroup = (waiting: Ticket[]): ReadonlyArray<Ticket> => {
  let bytes = 0;
  let count = 0;
  for (const ticket of waiting.slice(0, GROUP_COMMANDS)) {
    bytes += ticket.bytes;
    if (count > 0 && bytes > GROUP_BYTES) break;
    count += 1;
  }
  return waiting.splice(0, count);
};
