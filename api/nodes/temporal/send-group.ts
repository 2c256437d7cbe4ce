import { randomBytes } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../../process/log';
import { pause } from '../../../process/backoff';
import { reasonOf } from '../../../process/reason-of';
import {
  applyCommandsUpdate,
  NOTHING_APPLIED,
  STATUS_ATTRIBUTE,
  WORKFLOW_TYPE,
  workflowIdOf,
} from '../../../workflows/messages';
import { isRecord } from '../../../workflows/domain/codecs';
import { classifyError, type ErrorClass, isAttributeRefused, updateFailure } from './errors';
import type { WorkflowsUntil } from './connection';
import type { GroupReceipt } from '../../../workflows/domain/node/apply-group';
import { NOT_CONFIGURED } from '../../../workflows/domain/alarm/status';
import { noAnswerOf } from '../../ports';
import type { Command } from '../../../workflows/domain/node/commands';
import type { Slot } from '../../admission/queues';
import { KNOWN_NODES, type SentGroup } from '../node-queue';
import { retry } from './retry';

/** Longest time (ms) until a Temporal cluster knows a search attribute that was just added. */
const KNOWN_AFTER_MS = 5_000;
/** After the cluster refused the attribute, groups do not ask nodes to write it for this time (ms). */
const REFUSED_FOR_MS = 60_000;

/**
 * Decides whether groups ask their nodes to write their status to the search attribute. A new cluster may not know the
 * attribute yet, so calls with it are retried for `KNOWN_AFTER_MS`. If the cluster still refuses the attribute, nodes start
 * without it and cannot be found by their status. If the settings leave the attribute out, nodes are asked to stop writing it.
 */
const createStatusAttribute = ({ searchAttributes, log }: GroupSender) => {
  let firstRefusedAt: number | undefined;
  let refusedAt = -Infinity;
  const mayBeKnown = (): boolean =>
    performance.now() - (firstRefusedAt ?? Infinity) <= KNOWN_AFTER_MS ||
    performance.now() - refusedAt >= REFUSED_FOR_MS;
  return {
    /** What to tell a node that was not told yet. True: write the attribute. False: stop writing it. Undefined: nothing. */
    requestedValue: (): boolean | undefined => (searchAttributes ? mayBeKnown() || undefined : false),
    recordAccepted: () => (firstRefusedAt = undefined),
    recordRefused: (error: unknown): void => {
      if (firstRefusedAt === undefined)
        log.warn({ attribute: STATUS_ATTRIBUTE, reason: reasonOf(error) }, 'the search attribute is refused');
      refusedAt = performance.now();
      firstRefusedAt ??= refusedAt;
    },
  };
};

/** Longest time (ms) of one poll for the result of an update, and the pause (ms) before the next poll. */
const POLL_MS = 20_000;
const POLL_PAUSE_MS = 1_000;

/**
 * Waits until a given-up update completes, however long its node is stuck, or until a poll for it fails other than by timeout.
 * Meanwhile this process sends the node no other update, because the server allows few in flight per node. The wait needs no
 * slot. It only polls, so it cannot cause a late change.
 */
const untilCompleted = async (workflowsUntil: WorkflowsUntil, nodeId: string, updateId: string): Promise<void> => {
  for (;;) {
    try {
      const workflows = workflowsUntil(performance.now() + POLL_MS);
      await workflows.getHandle(workflowIdOf(nodeId)).getUpdateHandle(updateId).result();
      return;
    } catch (error) {
      if (classifyError(error).kind !== 'late') return;
    }
    await pause(POLL_PAUSE_MS);
  }
};

/**
 * Timeout after which the workflow task of a dead worker goes to another worker. It is short enough for the callers that wait,
 * and long enough for a worker that takes over many nodes at once (docs/contributing/how-it-works.md, "Workers").
 */
const LOST_TASK_AFTER = '5 seconds';

export interface GroupSender {
  readonly workflowsUntil: WorkflowsUntil;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
  readonly knownNodes?: number;
  readonly log: Log;
}

/** The members of a group that its caller gives. `createSendGroup` adds others (`CommandGroup` in `sent-group.ts`). */
export interface GroupPayload {
  readonly commands: ReadonlyArray<Command>;
  readonly relay?: 'api';
  readonly published?: string;
}

/**
 * Sends each group as one update, which starts the node if it does not run. All tries of a group share an update id, so that
 * the server carries the group out once per run, and a sequence number, by which the node recognises it across runs. If the
 * callers' deadline passes first, the group is still awaited, or the next group could overtake it.
 */
export const createSendGroup = (sender: GroupSender) => {
  const { workflowsUntil, taskQueue, knownNodes = KNOWN_NODES, log } = sender;
  /** The nodes that answered their last group. True: this process has told the node whether to write the attribute. */
  const running = new LRUCache<string, boolean>({ max: knownNodes });
  const attribute = createStatusAttribute(sender);
  const senderId = randomBytes(8).toString('base64url');
  let groups = 0;

  /**
   * Sends an update without start to a node that answered its last group, because an update with start costs the server a
   * seventh more. Two kinds of update are with start: one after a failure, since the node may be terminated, and one that tells
   * the node whether to write the attribute.
   */
  const executeUpdate = async (nodeId: string, updateId: string, payload: object, until: number) => {
    const reportedAttribute = running.get(nodeId);
    const keepsStatusAttribute = reportedAttribute === true ? undefined : attribute.requestedValue();
    const reportsAttribute = keepsStatusAttribute !== undefined;
    const workflows = workflowsUntil(until);
    try {
      if (reportedAttribute !== undefined && !reportsAttribute)
        return await workflows
          .getHandle(workflowIdOf(nodeId))
          .executeUpdate(applyCommandsUpdate, { args: [payload], updateId });
      const answer = await workflows.executeUpdateWithStart(applyCommandsUpdate, {
        args: [reportsAttribute ? { ...payload, keepsStatusAttribute } : payload],
        updateId,
        startWorkflowOperation: startOperationFor(nodeId, taskQueue, keepsStatusAttribute === true),
      });
      running.set(nodeId, reportsAttribute);
      if (keepsStatusAttribute === true) attribute.recordAccepted();
      return answer;
    } catch (error) {
      const answer = nothingApplied(error);
      if (answer !== undefined) return answer;
      running.delete(nodeId);
      if (isAttributeRefused(error)) attribute.recordRefused(error);
      throw error;
    }
  };

  return async (nodeId: string, group: GroupPayload, until: number, slot?: Slot): Promise<SentGroup> => {
    groups += 1;
    const payload = { ...group, sentBy: { sender: senderId, sequence: groups } };
    const updateId = `${senderId}.${groups.toString(36)}`;
    const answer = await retry(
      (end, mayHaveReached) =>
        executeUpdate(nodeId, updateId, { ...payload, ...(mayHaveReached && { mayHaveReached }) }, end),
      until,
      slot,
    );
    if (E.isRight(answer)) return { answer, completed: Promise.resolve() };
    const { reason, mayHaveReached } = answer.left;
    log.warn({ nodeId, reason, mayHaveReached, commands: payload.commands.length }, 'a group was given up');
    return isInFlight(answer.left)
      ? { answer: E.left({ _tag: 'TimedOut' }), completed: untilCompleted(workflowsUntil, nodeId, updateId) }
      : { answer: E.left(noAnswerOf('Temporal', 1, mayHaveReached)), completed: Promise.resolve() };
  };
};

/** Whether the server is available, and may still carry out the group. */
const isInFlight = ({ kind, mayHaveReached }: ErrorClass): boolean =>
  mayHaveReached && (kind === 'late' || kind === 'transient');

const startOperationFor = (nodeId: string, taskQueue: string, withAttribute: boolean) =>
  new WithStartWorkflowOperation(WORKFLOW_TYPE, {
    workflowId: workflowIdOf(nodeId),
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: LOST_TASK_AFTER,
    ...(withAttribute && { typedSearchAttributes: [{ key: statusKey, value: NOT_CONFIGURED }] }),
  });

const statusKey = defineSearchAttributeKey(STATUS_ATTRIBUTE, SearchAttributeType.INT);

/** The answer of a node that applied no command: a failed update, which costs no write. Undefined for any other error. */
const nothingApplied = (error: unknown): GroupReceipt | undefined => {
  const answer: unknown = updateFailure(error, NOTHING_APPLIED)?.details?.[0];
  return isReceipt(answer) ? answer : undefined;
};

const isReceipt = (answer: unknown): answer is GroupReceipt => isRecord(answer) && Array.isArray(answer['outcomes']);
