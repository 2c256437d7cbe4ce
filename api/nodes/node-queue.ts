import type { Registry } from 'prom-client';
import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import { backoffMs, pause } from '../../process/backoff';
import { counter, histogram } from '../../process/metrics';
import type { createAdmissionMetrics } from '../admission/queue-metrics';
import { createQueues, type Ticket } from '../admission/queues';
import { jsonBytes } from '../../workflows/domain/codecs';
import { GROUP_COMMANDS } from '../../workflows/domain/limits';
import type { GroupReceipt, Outcome, Postponed } from '../../workflows/domain/node/apply-group';
import type { Command, Refusal } from '../../workflows/domain/node/commands';
import { type Outage, type Sent, noAnswerOf } from '../ports';

/** Bytes of a group as JSON; a single command may have more. */
const GROUP_BYTES = 256 * 1_024;

/** Time (ms) between the end of a group and the deadline of its callers, in which its outcome reaches them. */
const ANSWER_MS = 100;

/** Calls that are enough for a group: in one of more, each of them costs no less. */
const GATHERED_CALLS = 16;

/** Capacity of each cache of nodes that a process keeps for its commands: a miss costs one dearer call. */
export const KNOWN_NODES = 100_000;

/** Pauses (ms) before commands are resent to a node whose outbox was full. */
const PAUSES = { firstMs: 20, longestMs: 400 };

/** The outcome of a group, and when the next one may be sent. */
export interface SentGroup {
  readonly answer: E.Either<Outage, GroupReceipt>;
  /** Ends when the group is no longer in flight, and its events are in the stream or left to the node; never rejects. */
  readonly completed: Promise<void>;
}

/** Sends a group to a node; never rejects. `until`: deadline (epoch ms). */
export type SendGroup = (nodeId: string, commands: ReadonlyArray<Command>, until: number) => Promise<SentGroup>;

export interface NodeQueueSettings {
  readonly callDeadlineMs: number;
  /** Capacity of each queue, in calls. */
  readonly waitingCalls: number;
  /** Whether this process can publish events; only then calls wait while an outbox is full. */
  readonly canPublish: () => boolean;
  readonly knownNodes?: number;
  readonly registry: Registry;
  readonly admission?: ReturnType<typeof createAdmissionMetrics>;
}

type GroupTicket = Ticket<Command, Refusal, Sent>;

/**
 * A queue per node: at most one group of commands is in flight to it, and what arrives meanwhile goes with the next one
 * (docs/contributing/how-it-works.md, "Node queue"). Commands whose events do not fit into the node's outbox go back to its head.
 *
 * Errors: Overloaded or QueueFull at once where the call could not be served in time; Unavailable or OutboxFull for a call that
 *         was not taken before its deadline, TimedOut for one whose outcome is unknown.
 */
export const createNodeQueues = (settings: NodeQueueSettings, sendGroup: SendGroup) => {
  const { callDeadlineMs: deadlineMs, canPublish, knownNodes = KNOWN_NODES, registry, admission } = settings;
  const commands = histogram(registry, 'point_alarm_group_commands');
  const waited = histogram(registry, 'point_alarm_queue_wait_seconds');
  const duration = histogram(registry, 'point_alarm_group_duration_seconds');
  const givenUp = counter(registry, 'point_alarm_groups_given_up_total');
  /** Nodes that answered: a group to another one may have to start it. */
  const known = new LRUCache<string, true>({ max: knownNodes });
  /** How often in a row a node took nothing. */
  const pauses = new Map<string, number>();

  /** Commands that did not fit are resent, or answered at once where the events that fill the node cannot be published. */
  const putBack = (waiting: GroupTicket[], left: ReadonlyArray<GroupTicket>, postponed?: Postponed): boolean => {
    const refusal = postponed?._tag === 'OutboxFull' ? postponed : undefined;
    if (refusal !== undefined && !canPublish()) {
      for (const ticket of left) ticket.answer(E.left(refusal));
      return false;
    }
    const unanswered = left.filter(({ isAnswered }) => !isAnswered);
    for (const ticket of unanswered) {
      ticket.isSent = false;
      if (refusal !== undefined) ticket.ifNotSent = refusal;
    }
    waiting.unshift(...unanswered);
    return unanswered.length > 0;
  };
  return createQueues<Command, Refusal, Sent>({
    deadlineMs,
    mostWaiting: settings.waitingCalls,
    mostTogether: GROUP_COMMANDS,
    kinds: ['update', 'start'],
    kindOf: (nodeId) => (known.has(nodeId) ? 'update' : 'start'),
    send: async (nodeId, waiting, free) => {
      const group = takeGroup(waiting);
      for (const ticket of group) ticket.isSent = true;
      const sentAt = performance.now();
      commands(group.length);
      waited((sentAt - Math.min(...group.map(({ since }) => since))) / 1_000);
      const until = Math.max(...group.map((ticket) => ticket.until)) - Math.min(ANSWER_MS, deadlineMs / 10);
      const calls = group.map(({ call }) => call);
      const { answer, completed } = await sendGroup(nodeId, calls, until);
      const ms = performance.now() - sentAt;
      duration(ms / 1_000);
      const receipt = E.isRight(answer) ? answer.right : undefined;
      if (receipt === undefined) givenUp(1);
      const taken = receipt?.postponed === undefined ? group.length : receipt.outcomes.length;
      group.slice(0, taken).forEach((ticket, index) => {
        ticket.answer(E.isLeft(answer) ? answer : sentOf(answer.right.outcomes[index]));
      });
      const isPutBack = putBack(waiting, group.slice(taken), receipt?.postponed);
      const expected = taken > 1 ? Math.min(GATHERED_CALLS, waiting.length + taken) : 0;
      await completed;
      // The time of a group that was refused says nothing of those that are written, as usual ones are.
      free(receipt?.outcomes.some(({ _tag }) => _tag === 'Applied') === true ? ms : undefined);
      if (receipt !== undefined) known.set(nodeId, true);
      if (!isPutBack || taken > 0) {
        pauses.delete(nodeId);
        return expected;
      }
      const tries = pauses.get(nodeId) ?? 0;
      pauses.set(nodeId, tries + 1);
      await pause(backoffMs(PAUSES, tries));
      return 0;
    },
    ...(admission !== undefined && { metrics: admission('commands') }),
  });
};

/** The answer of an outcome to its caller; there is none from a node of another release that answers fewer than it was sent. */
export const sentOf = (outcome: Outcome | undefined): E.Either<Refusal | Outage, Sent> => {
  if (outcome === undefined) return E.left(noAnswerOf('The node', 1, true));
  return outcome._tag === 'Refused' ? E.left(outcome.refusal) : E.right(outcome);
};

/** Takes the first tickets of `waiting` out: at least one, and as many more as fit into a group. */
const takeGroup = (waiting: GroupTicket[]): ReadonlyArray<GroupTicket> => {
  let bytes = 0;
  let count = 0;
  for (const ticket of waiting.slice(0, GROUP_COMMANDS)) {
    bytes += jsonBytes(ticket.call);
    if (count > 0 && bytes > GROUP_BYTES) break;
    count += 1;
  }
  return waiting.splice(0, count);
};
