import type { Registry } from 'prom-client';
import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import { counter, histogram } from '../../process/metrics';
import type { createAdmissionMetrics } from '../admission/queue-metrics';
import { type Slot, createQueues } from '../admission/queues';
import { jsonBytes } from '../../workflows/domain/codecs';
import { GROUP_COMMANDS } from '../../workflows/domain/limits';
import type { GroupReceipt, Outcome } from '../../workflows/domain/node/apply-group';
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

/** The outcome of a group, and when the next one may be sent. */
export interface SentGroup {
  readonly answer: E.Either<Outage, GroupReceipt>;
  /** Ends when the group is no longer in flight, and its events are in the stream or left to the node; never rejects. */
  readonly completed: Promise<void>;
}

/** Sends a group to a node; never rejects. `until`: deadline, by `performance.now()`. */
export type SendGroup = (
  nodeId: string,
  commands: ReadonlyArray<Command>,
  until: number,
  slot?: Slot,
) => Promise<SentGroup>;

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
  return createQueues<Command, Refusal, Sent>({
    deadlineMs,
    mostWaiting: settings.waitingCalls,
    mostTogether: GROUP_COMMANDS,
    mostBytes: GROUP_BYTES,
    bytesOf: jsonBytes,
    gathers: GATHERED_CALLS,
    kinds: ['update', 'start'],
    kindOf: (nodeId) => (known.has(nodeId) ? 'update' : 'start'),
    send: async (nodeId, { calls, until, since }, slot) => {
      const sentAt = performance.now();
      commands(calls.length);
      waited((sentAt - since) / 1_000);
      const end = until - Math.min(ANSWER_MS, deadlineMs / 10);
      const { answer, completed } = await sendGroup(nodeId, calls, end, slot);
      duration((performance.now() - sentAt) / 1_000);
      if (E.isLeft(answer)) {
        givenUp(1);
        return { answers: calls.map(() => answer), isAnswered: false, tells: false, completed };
      }
      known.set(nodeId, true);
      const { outcomes, postponed } = answer.right;
      const taken = postponed === undefined ? calls.length : outcomes.length;
      const full = postponed?._tag === 'OutboxFull' ? postponed : undefined;
      // Where the events that fill the node cannot be published, its calls are not sent again.
      const others = full === undefined || canPublish() ? [] : calls.slice(taken).map(() => E.left(full));
      return {
        answers: [...calls.slice(0, taken).map((_, index) => sentOf(outcomes[index])), ...others],
        ifNotSent: full,
        isAnswered: true,
        // The time of a group that was refused says nothing of those that are written, as usual ones are.
        tells: outcomes.some(({ _tag }) => _tag === 'Applied'),
        completed,
      };
    },
    ...(admission !== undefined && { metrics: admission('commands') }),
  });
};

/** The answer of an outcome to its caller; there is none from a node of another release that answers fewer than it was sent. */
export const sentOf = (outcome: Outcome | undefined): E.Either<Refusal | Outage, Sent> => {
  if (outcome === undefined) return E.left(noAnswerOf('The node', 1, true));
  return outcome._tag === 'Refused' ? E.left(outcome.refusal) : E.right(outcome);
};
