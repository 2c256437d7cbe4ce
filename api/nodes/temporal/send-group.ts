import { randomBytes } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import { pause } from '../../../process/backoff';
import type { Log } from '../../../process/log';
import { reasonOf } from '../../../process/reason-of';
import {
  applyCommandsUpdate,
  NOTHING_APPLIED,
  STATUS_ATTRIBUTE,
  WORKFLOW_TYPE,
  workflowIdOf,
} from '../../../workflows/messages';
import { classifyError, updateFailure } from './errors';
import type { WorkflowsUntil } from './connection';
import type { GroupReceipt } from '../../../workflows/domain/node/apply-group';
import { NOT_CONFIGURED } from '../../../workflows/domain/alarm/status';
import type { Outage } from '../../ports';
import type { Command } from '../../../workflows/domain/commands/commands';
import { KNOWN_NODES, type SentGroup } from '../node-queue';
import { type GivenUp, retry } from './calls';

/** Starts a node, with the search attribute where the cluster takes it. */
type StatusAttribute = <A>(start: (searchAttributes: boolean) => Promise<A>) => Promise<A>;

/** A cluster knows a new search attribute after this (ms) at the latest. */
const KNOWN_AFTER_MS = 5_000;
const PAUSE_MS = 250;

/**
 * Starts nodes with the search attribute. A cluster that is new may not know it yet: that is waited for. Where it does not
 * know it then, nodes are started without: they cannot be found by their status, and take calls all the same.
 */
export const patientAttribute = ({
  searchAttributes,
  log,
}: {
  readonly searchAttributes: boolean;
  readonly log: Log;
}): StatusAttribute => {
  let refusedSince: number | undefined;
  return async (start) => {
    for (;;) {
      try {
        const answer = await start(searchAttributes);
        refusedSince = undefined;
        return answer;
      } catch (error) {
        if (!searchAttributes || !isAttributeRefused(error)) throw error;
        if (refusedSince === undefined)
          log.warn({ attribute: STATUS_ATTRIBUTE, reason: reasonOf(error) }, 'the search attribute is refused');
        refusedSince ??= Date.now();
        if (Date.now() - refusedSince > KNOWN_AFTER_MS) return start(false);
        await pause(PAUSE_MS);
      }
    }
  };
};

const isAttributeRefused = (error: unknown): boolean => {
  const { kind, mayHaveReached, reason } = classifyError(error);
  return kind === 'final' && !mayHaveReached && reason.includes(`search attribute ${STATUS_ATTRIBUTE}`);
};

/** Time (ms) that one poll of an update waits. */
const POLL_MS = 20_000;

/**
 * Waits until an abandoned update is completed: carried out, refused, or no longer known to the server. It polls and never
 * sends, so it causes no late change.
 */
const untilCompleted = async (workflowsUntil: WorkflowsUntil, nodeId: string, updateId: string): Promise<void> => {
  for (;;) {
    try {
      const workflows = workflowsUntil(Date.now() + POLL_MS);
      await workflows.getHandle(workflowIdOf(nodeId)).getUpdateHandle(updateId).result();
      return;
    } catch (error) {
      if (classifyError(error).kind !== 'late') return;
    }
  }
};

/**
 * A task that died with its worker, or was lost on the way to one that stops, is given to another worker after this: soon
 * enough that the callers behind it are still answered before their deadline, and late enough that a worker to whom many
 * nodes move at once can begin with each (docs/reliability.md, "Workers").
 */
const LOST_TASK_AFTER = '5 seconds';

export interface GroupSender {
  readonly workflowsUntil: WorkflowsUntil;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
  readonly knownNodes?: number;
  readonly log: Log;
}

/** A group as the node takes it (`applyGroup`). */
export interface GroupPayload {
  readonly commands: ReadonlyArray<Command>;
  /** The identity of the group, by which the node recognises a repeat in any run. */
  readonly sentBy?: { readonly sender: string; readonly sequence: number };
  /** A try before this one may still be on its way. */
  readonly mayHaveReached?: true;
  readonly relay?: 'api';
  readonly published?: string;
}

/**
 * Sends groups to nodes as one update each, which starts the node where it does not run.
 *
 * A group keeps its update id through all tries, so the server runs it once per run. It also keeps its number in this process,
 * by which the node recognises it across runs. A group that outlives its callers is still awaited, or the next one would
 * overtake it.
 */
export const createSendGroup = (
  sender: GroupSender,
): ((nodeId: string, payload: GroupPayload, until: number) => Promise<SentGroup>) => {
  const running = new LRUCache<string, true>({ max: sender.knownNodes ?? KNOWN_NODES });
  const attribute = patientAttribute(sender);
  const us = randomBytes(8).toString('base64url');
  let groups = 0;
  return async (nodeId, commands, until) => {
    groups += 1;
    const payload = { ...commands, sentBy: { sender: us, sequence: groups } };
    const updateId = `${us}.${groups.toString(36)}`;
    const attempt = (end: number, mayHaveReached: boolean) =>
      update(sender, running, attribute, {
        ...{ nodeId, updateId, until: end },
        payload: { ...payload, ...(mayHaveReached && { mayHaveReached }) },
      });
    const answer = await retry(attempt, until);
    if (E.isRight(answer)) return { answer, completed: Promise.resolve() };
    const { reason, mayHaveReached } = answer.left;
    sender.log.warn({ nodeId, reason, mayHaveReached, commands: payload.commands.length }, 'a group was given up');
    return {
      answer: E.left(outageOf(answer.left)),
      completed: isInFlight(answer.left) ? untilCompleted(sender.workflowsUntil, nodeId, updateId) : Promise.resolve(),
    };
  };
};

interface GroupCall {
  readonly nodeId: string;
  readonly updateId: string;
  readonly payload: GroupPayload;
  /** Epoch ms. */
  readonly until: number;
}

/**
 * A node that answered the last time is assumed to run: an update that may have to start it costs the server a seventh
 * more. The try after a failure may start it, since it may have been terminated.
 */
const update = async (
  sender: GroupSender,
  running: LRUCache<string, true>,
  attribute: StatusAttribute,
  call: GroupCall,
): Promise<GroupReceipt> => {
  const { nodeId } = call;
  try {
    const answer = await (running.has(nodeId)
      ? updateRunning(sender, call)
      : attribute((searchAttributes) => updateWithStart({ ...sender, searchAttributes }, call)));
    running.set(nodeId, true);
    return answer;
  } catch (error) {
    const answer = nothingApplied(error);
    if (answer !== undefined) return answer;
    running.delete(nodeId);
    throw error;
  }
};

const updateRunning = ({ workflowsUntil }: GroupSender, { nodeId, updateId, payload, until }: GroupCall) =>
  workflowsUntil(until)
    .getHandle(workflowIdOf(nodeId))
    .executeUpdate(applyCommandsUpdate, { args: [payload], updateId });

const updateWithStart = (
  { workflowsUntil, taskQueue, searchAttributes }: GroupSender,
  { nodeId, updateId, payload, until }: GroupCall,
): Promise<GroupReceipt> => {
  const startWorkflowOperation = new WithStartWorkflowOperation(WORKFLOW_TYPE, {
    workflowId: workflowIdOf(nodeId),
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: LOST_TASK_AFTER,
    ...(searchAttributes && {
      args: [{ keepsStatusAttribute: true }],
      typedSearchAttributes: [{ key: statusKey, value: NOT_CONFIGURED }],
    }),
  });
  return workflowsUntil(until).executeUpdateWithStart(applyCommandsUpdate, {
    args: [payload],
    updateId,
    startWorkflowOperation,
  });
};

const statusKey = defineSearchAttributeKey(STATUS_ATTRIBUTE, SearchAttributeType.INT);

/** The answer of a node that refused every command of a group, or had nothing to do: a failure, which costs no write. */
const nothingApplied = (error: unknown): GroupReceipt | undefined => {
  const answer: unknown = updateFailure(error, NOTHING_APPLIED)?.details?.[0];
  return isGroupAnswer(answer) ? answer : undefined;
};

const isGroupAnswer = (answer: unknown): answer is GroupReceipt =>
  typeof answer === 'object' && answer !== null && 'outcomes' in answer && Array.isArray(answer.outcomes);

const outageOf = (givenUp: GivenUp): Outage =>
  isInFlight(givenUp)
    ? { _tag: 'TimedOut' }
    : { _tag: 'Unavailable', dependency: 'Temporal', retryAfter: 1, mayHaveChanged: givenUp.mayHaveReached };

/** The server is available and may still carry it out. */
const isInFlight = ({ kind, mayHaveReached }: GivenUp): boolean =>
  mayHaveReached && (kind === 'late' || kind === 'transient');
