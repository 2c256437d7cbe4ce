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
import { retry } from './calls';

/** A cluster knows a new search attribute after this (ms) at the latest. */
const KNOWN_AFTER_MS = 5_000;
/** So long (ms) no node is told of the attribute after the cluster refused it. */
const REFUSED_FOR_MS = 60_000;

/**
 * Whether nodes are told to keep the search attribute, by what the cluster takes. One that is new may not know it yet: calls that
 * tell of it are retried. Where it does not know it then, nodes are started without, and are not found by their status. Where the
 * settings leave it out, nodes are told to keep it no more.
 */
const createStatusAttribute = ({ searchAttributes, log }: GroupSender) => {
  let firstRefusedAt: number | undefined;
  let refusedAt = -Infinity;
  const isTaken = (): boolean =>
    performance.now() - (firstRefusedAt ?? Infinity) <= KNOWN_AFTER_MS ||
    performance.now() - refusedAt >= REFUSED_FOR_MS;
  return {
    /** What a node that was not told yet is to do; undefined: as before. */
    isKept: (): boolean | undefined => (searchAttributes ? isTaken() || undefined : false),
    taken: () => (firstRefusedAt = undefined),
    refused: (error: unknown): void => {
      if (firstRefusedAt === undefined)
        log.warn({ attribute: STATUS_ATTRIBUTE, reason: reasonOf(error) }, 'the search attribute is refused');
      refusedAt = performance.now();
      firstRefusedAt ??= refusedAt;
    },
  };
};

/** Time (ms) that one poll of an update waits, and the pause before the next one. */
const POLL_MS = 20_000;
const POLL_PAUSE_MS = 1_000;

/**
 * Waits until an abandoned update is completed or no longer known to the server: as long as the node is stuck, and without a slot.
 * Only one update of this process is in flight to a node, since the server takes few. It never sends, so it causes no late change.
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
 * A task that died with its worker is given to another one after this: early enough for the callers behind it, and late enough for
 * a worker to whom many nodes move at once (docs/contributing/how-it-works.md, "Workers").
 */
const LOST_TASK_AFTER = '5 seconds';

export interface GroupSender {
  readonly workflowsUntil: WorkflowsUntil;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
  readonly knownNodes?: number;
  readonly log: Log;
}

/** A group to send, with members of the update (`Group` in `apply-group`); the sender adds those that it knows. */
export interface GroupPayload {
  readonly commands: ReadonlyArray<Command>;
  readonly relay?: 'api';
  readonly published?: string;
}

/**
 * Sends groups to nodes as one update each, which starts the node where it does not run. A group keeps its update id through all
 * tries, so the server runs it once per run, and its number in this process, by which the node recognises it across runs. One
 * that outlives its callers is still awaited, or the next one would overtake it.
 */
export const createSendGroup = (sender: GroupSender) => {
  const { workflowsUntil, taskQueue, knownNodes = KNOWN_NODES, log } = sender;
  /** The nodes that answered, each with whether it was told of the search attribute. */
  const running = new LRUCache<string, boolean>({ max: knownNodes });
  const attribute = createStatusAttribute(sender);
  const us = randomBytes(8).toString('base64url');
  let groups = 0;

  /**
   * A node that answered the last time is assumed to run: an update that may have to start it costs the server a seventh
   * more. The try after a failure may start it, since it may have been terminated; so does one that tells it of the attribute.
   */
  const update = async (nodeId: string, updateId: string, payload: object, until: number) => {
    const isTold = running.get(nodeId);
    const keepsStatusAttribute = isTold === true ? undefined : attribute.isKept();
    const tells = keepsStatusAttribute !== undefined;
    const workflows = workflowsUntil(until);
    try {
      if (isTold !== undefined && !tells)
        return await workflows
          .getHandle(workflowIdOf(nodeId))
          .executeUpdate(applyCommandsUpdate, { args: [payload], updateId });
      const answer = await workflows.executeUpdateWithStart(applyCommandsUpdate, {
        args: [tells ? { ...payload, keepsStatusAttribute } : payload],
        updateId,
        startWorkflowOperation: startOf(nodeId, taskQueue, keepsStatusAttribute === true),
      });
      running.set(nodeId, tells);
      if (keepsStatusAttribute === true) attribute.taken();
      return answer;
    } catch (error) {
      const answer = nothingApplied(error);
      if (answer !== undefined) return answer;
      running.delete(nodeId);
      if (isAttributeRefused(error)) attribute.refused(error);
      throw error;
    }
  };

  return async (nodeId: string, group: GroupPayload, until: number, slot?: Slot): Promise<SentGroup> => {
    groups += 1;
    const payload = { ...group, sentBy: { sender: us, sequence: groups } };
    const updateId = `${us}.${groups.toString(36)}`;
    const answer = await retry(
      (end, mayHaveReached) => update(nodeId, updateId, { ...payload, ...(mayHaveReached && { mayHaveReached }) }, end),
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

/** The server is available and may still carry it out. */
const isInFlight = ({ kind, mayHaveReached }: ErrorClass): boolean =>
  mayHaveReached && (kind === 'late' || kind === 'transient');

const startOf = (nodeId: string, taskQueue: string, withAttribute: boolean) =>
  new WithStartWorkflowOperation(WORKFLOW_TYPE, {
    workflowId: workflowIdOf(nodeId),
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: LOST_TASK_AFTER,
    ...(withAttribute && { typedSearchAttributes: [{ key: statusKey, value: NOT_CONFIGURED }] }),
  });

const statusKey = defineSearchAttributeKey(STATUS_ATTRIBUTE, SearchAttributeType.INT);

/** The answer of a node that refused every command of a group, or had nothing to do: a failure, which costs no write. */
const nothingApplied = (error: unknown): GroupReceipt | undefined => {
  const answer: unknown = updateFailure(error, NOTHING_APPLIED)?.details?.[0];
  return isReceipt(answer) ? answer : undefined;
};

const isReceipt = (answer: unknown): answer is GroupReceipt => isRecord(answer) && Array.isArray(answer['outcomes']);
