import type { Registry } from 'prom-client';
import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import { counter, histogram } from '../../process/metrics';
import type { createAdmissionMetrics } from '../admission/queue-metrics';
import { type Slot, createQueues } from '../admission/queues';
import { jsonBytes } from '../../workflows/domain/codecs';
import { GROUP_COMMANDS } from '../../workflows/domain/limits';
import type { GroupReceipt, CommandOutcome } from '../../workflows/domain/node/apply-group';
import type { Command, Refusal } from '../../workflows/domain/node/commands';
import { type Outage, type Sent, noAnswerOf } from '../ports';

/** Most bytes of the commands of a group as JSON. A single command may have more. */
const GROUP_BYTES = 256 * 1_024;

/** A group is given up this time (ms) before the deadline of its callers, so that the answer still reaches them. */
const ANSWER_MS = 100;

/** A group with this many calls is sent without waiting for more, because a larger group does not make its calls cheaper. */
const GATHERED_CALLS = 16;

/** Capacity (nodes) of each cache of facts about nodes. After a cache miss, a command costs more. */
export const KNOWN_NODES = 100_000;

export interface SentGroup {
  readonly answer: E.Either<Outage, GroupReceipt>;
  /** Resolves once the node is done with the group, and its events are in the stream or left to the node. Never rejects. */
  readonly completed: Promise<void>;
}

/** Sends a group of commands to a node. Never rejects. `until`: the deadline, as a time of `performance.now()`. */
export type SendGroup = (
  nodeId: string,
  commands: ReadonlyArray<Command>,
  until: number,
  slot?: Slot,
) => Promise<SentGroup>;

export interface NodeQueueSettings {
  readonly callDeadlineMs: number;
  /** Most calls that wait for one node. */
  readonly waitingCalls: number;
  /** Whether this process can publish events. If it cannot, calls do not wait for a node whose outbox is full. */
  readonly canPublish: () => boolean;
  readonly knownNodes?: number;
  readonly registry: Registry;
  readonly admission?: ReturnType<typeof createAdmissionMetrics>;
}

/**
 * Queues the commands of each node. At most one group of commands is in flight to a node, and commands that arrive meanwhile go
 * in the next group (docs/contributing/how-it-works.md, "Node queue"). Commands that the node did not take, because its outbox
 * or the group was full, return to the head of the queue.
 *
 * Errors: Overloaded, QueueFull or Unavailable if the call could not be served in time; Unavailable or OutboxFull if it was not
 * taken before its deadline; TimedOut, or Unavailable with `mayHaveChanged`, if its outcome is unknown.
 */
export const createNodeQueues = (settings: NodeQueueSettings, sendGroup: SendGroup) => {
  const { callDeadlineMs: deadlineMs, canPublish, knownNodes = KNOWN_NODES, registry, admission } = settings;
  const commands = histogram(registry, 'point_alarm_group_commands');
  const waited = histogram(registry, 'point_alarm_queue_wait_seconds');
  const duration = histogram(registry, 'point_alarm_group_duration_seconds');
  const givenUp = counter(registry, 'point_alarm_groups_given_up_total');
  /** Nodes that answered before. A group to a node that is not among them may have to start the node's workflow. */
  const known = new LRUCache<string, true>({ max: knownNodes });
  return createQueues<Command, Refusal, Sent>({
    deadlineMs,
    mostWaiting: settings.waitingCalls,
    mostTogether: GROUP_COMMANDS,
    mostBytes: GROUP_BYTES,
    bytesOf: jsonBytes,
    gatheredCalls: GATHERED_CALLS,
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
        return { answers: calls.map(() => answer), isAnswered: false, showsLoad: false, completed };
      }
      known.set(nodeId, true);
      const { outcomes, postponed } = answer.right;
      const taken = postponed === undefined ? calls.length : outcomes.length;
      const full = postponed?._tag === 'OutboxFull' ? postponed : undefined;
      // If this process cannot publish the events that fill the outbox, the node would not take the calls the next time either.
      const others = full === undefined || canPublish() ? [] : calls.slice(taken).map(() => E.left(full));
      return {
        answers: [...calls.slice(0, taken).map((_, index) => sentOf(outcomes[index])), ...others],
        ifNotSent: full,
        isAnswered: true,
        // A group of which no command is applied writes nothing, so its round trip does not show how busy the server is.
        showsLoad: outcomes.some(({ _tag }) => _tag === 'Applied'),
        completed,
      };
    },
    ...(admission !== undefined && { metrics: admission('commands') }),
  });
};

/**
 * The caller's answer to the outcome of a command. If the node's worker runs another version of the service, the node may
 * return fewer outcomes than there were commands. Then it is unknown whether the other commands were carried out.
 */
export const sentOf = (outcome: CommandOutcome | undefined): E.Either<Refusal | Outage, Sent> => {
  if (outcome === undefined) return E.left(noAnswerOf('The node', 1, true));
  return outcome._tag === 'Refused' ? E.left(outcome.refusal) : E.right(outcome);
};
