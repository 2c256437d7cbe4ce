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
import type { Command } from '../../../workflows/domain/node/commands';
import { KNOWN_NODES, type SentGroup } from '../node-queue';
import { type GivenUp, retry } from './calls';

/** A cluster knows a new search attribute after this (ms) at the latest. */
const KNOWN_AFTER_MS = 5_000;
const PAUSE_MS = 250;
/** So long (ms) no node is told of the attribute after the cluster refused it, but for those that are started. */
const REFUSED_FOR_MS = 60_000;

/** The search attribute, as the cluster takes it. */
interface StatusAttribute {
  /** Whether nodes may be told to keep it. */
  readonly isTaken: () => boolean;
  /** Sends an update that starts its node, with the attribute where the cluster takes it. */
  readonly start: <A>(send: (withAttribute: boolean) => Promise<A>) => Promise<A>;
}

/**
 * Decides by what the cluster takes. One that is new may not know the attribute yet: that is waited for. Where it does not
 * know it then, nodes are started without: they cannot be found by their status until they are told of it, and take calls all
 * the same.
 */
export const patientAttribute = ({
  searchAttributes,
  log,
}: {
  readonly searchAttributes: boolean;
  readonly log: Log;
}): StatusAttribute => {
  let firstRefusedAt: number | undefined;
  let refusedAt = -Infinity;
  return {
    isTaken: () => searchAttributes && Date.now() - refusedAt >= REFUSED_FOR_MS,
    start: async (send) => {
      for (;;) {
        try {
          const answer = await send(searchAttributes);
          firstRefusedAt = undefined;
          return answer;
        } catch (error) {
          if (!searchAttributes || !isAttributeRefused(error)) throw error;
          if (firstRefusedAt === undefined)
            log.warn({ attribute: STATUS_ATTRIBUTE, reason: reasonOf(error) }, 'the search attribute is refused');
          refusedAt = Date.now();
          firstRefusedAt ??= refusedAt;
          if (refusedAt - firstRefusedAt > KNOWN_AFTER_MS) return send(false);
          await pause(PAUSE_MS);
        }
      }
    },
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

/** A group as it is sent (`applyGroup`). */
export interface GroupPayload {
  readonly commands: ReadonlyArray<Command>;
  /** The identity of the group, by which the node recognises a repeat in any run. */
  readonly sentBy?: { readonly sender: string; readonly sequence: number };
  /** A try before this one may still be on its way. */
  readonly mayHaveReached?: true;
  readonly relay?: 'api';
  readonly published?: string;
  /** The node keeps its status in the search attribute from now on. */
  readonly keepsStatusAttribute?: true;
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
  const running: ToldNodes = new LRUCache({ max: sender.knownNodes ?? KNOWN_NODES });
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
      answer: E.left(outageOfGivenUp(answer.left)),
      completed: isInFlight(answer.left) ? untilCompleted(sender.workflowsUntil, nodeId, updateId) : Promise.resolve(),
    };
  };
};

/** The nodes that answered, each with whether it was told to keep the search attribute. */
type ToldNodes = LRUCache<string, boolean>;

interface GroupCall {
  readonly nodeId: string;
  readonly updateId: string;
  readonly payload: GroupPayload;
  /** Epoch ms. */
  readonly until: number;
}

/**
 * A node that answered the last time is assumed to run: an update that may have to start it costs the server a seventh
 * more. The try after a failure may start it, since it may have been terminated; so does one that tells it of the attribute.
 */
const update = async (
  sender: GroupSender,
  running: ToldNodes,
  attribute: StatusAttribute,
  call: GroupCall,
): Promise<GroupReceipt> => {
  const { nodeId } = call;
  const isTold = running.get(nodeId);
  try {
    if (isTold === true || (isTold === false && !attribute.isTaken())) return await updateRunning(sender, call);
    return await attribute.start(async (withAttribute) => {
      const answer = await updateWithStart({ ...sender, searchAttributes: withAttribute }, call);
      running.set(nodeId, withAttribute);
      return answer;
    });
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
    ...(searchAttributes && { typedSearchAttributes: [{ key: statusKey, value: NOT_CONFIGURED }] }),
  });
  return workflowsUntil(until).executeUpdateWithStart(applyCommandsUpdate, {
    args: [searchAttributes ? { ...payload, keepsStatusAttribute: true } : payload],
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

const outageOfGivenUp = (givenUp: GivenUp): Outage =>
  isInFlight(givenUp)
    ? { _tag: 'TimedOut' }
    : { _tag: 'Unavailable', dependency: 'Temporal', retryAfter: 1, mayHaveChanged: givenUp.mayHaveReached };

/** The server is available and may still carry it out. */
const isInFlight = ({ kind, mayHaveReached }: GivenUp): boolean =>
  mayHaveReached && (kind === 'late' || kind === 'transient');
