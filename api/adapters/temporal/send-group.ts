import { randomBytes } from 'node:crypto';
import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import * as E from 'fp-ts/Either';
import type { Log } from '../../../process/log';
import type { GroupReceipt } from '../../../workflows/domain/node/hand-over';
import { NOT_CONFIGURED } from '../../../workflows/domain/status';
import {
  applyCommandsUpdate,
  NOTHING_APPLIED,
  STATUS_ATTRIBUTE,
  WORKFLOW_TYPE,
  workflowIdOf,
} from '../../../workflows/messages';
import type { Outage } from '../../ports';
import type { GroupedCommand, SentGroup } from './lane';
import { persistently, type GivenUp } from './persistently';
import { untilSettled } from './until-settled';
import { updateFailure } from './update-failure';

/**
 * A task that died with its worker, or was lost on the way to one that stops, is given to another worker after this: soon
 * enough that the callers behind it are still answered before their deadline, and late enough that a worker to whom many
 * nodes move at once can begin with each (docs/reliability.md, "Workers").
 */
const LOST_TASK_AFTER = '7 seconds';

export interface GroupSender {
  readonly client: Client;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
  readonly log: Log;
}

/** A group as the node takes it (`applyGroup`). */
export interface GroupPayload {
  readonly commands: ReadonlyArray<GroupedCommand>;
  readonly publishBy?: 'caller';
  readonly inStream?: string;
}

/**
 * Sends groups to nodes as one update each, which starts a node that there is not yet.
 *
 * A group keeps its update id through all tries, so the server runs it once a run, and the node knows each command's request
 * id across runs. When the callers no longer wait, the group may still: it is waited for, or the next one would overtake it.
 */
export const createSendGroup =
  (sender: GroupSender) =>
  async (nodeId: string, payload: GroupPayload, until: number): Promise<SentGroup> => {
    const updateId = randomBytes(8).toString('base64url');
    const answer = await persistently(() => update(sender, nodeId, updateId, payload, until), until);
    if (E.isRight(answer)) return { answer, settled: Promise.resolve() };
    const { reason, mayHaveReached } = answer.left;
    sender.log.warn({ nodeId, reason, mayHaveReached, commands: payload.commands.length }, 'a group was given up');
    return {
      answer: E.left(outageOf(answer.left)),
      settled: isUnderWay(answer.left) ? untilSettled(sender.client, nodeId, updateId) : Promise.resolve(),
    };
  };

const update = async (
  { client, taskQueue, searchAttributes }: GroupSender,
  nodeId: string,
  updateId: string,
  payload: GroupPayload,
  until: number,
): Promise<GroupReceipt> => {
  const startWorkflowOperation = new WithStartWorkflowOperation(WORKFLOW_TYPE, {
    workflowId: workflowIdOf(nodeId),
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: LOST_TASK_AFTER,
    ...(searchAttributes && { typedSearchAttributes: [{ key: statusKey, value: NOT_CONFIGURED }] }),
  });
  try {
    return await client.withDeadline(until, () =>
      client.workflow.executeUpdateWithStart(applyCommandsUpdate, {
        args: [payload],
        updateId,
        startWorkflowOperation,
      }),
    );
  } catch (error) {
    const answer = nothingApplied(error);
    if (answer === undefined) throw error;
    return answer;
  }
};

const statusKey = defineSearchAttributeKey(STATUS_ATTRIBUTE, SearchAttributeType.INT);

/** The answer of a node that refused every command of a group, or had nothing to do: it comes as a failure, unwritten. */
const nothingApplied = (error: unknown): GroupReceipt | undefined => {
  const answer: unknown = updateFailure(error, NOTHING_APPLIED)?.details?.[0];
  return isGroupAnswer(answer) ? answer : undefined;
};

const isGroupAnswer = (answer: unknown): answer is GroupReceipt =>
  typeof answer === 'object' && answer !== null && 'outcomes' in answer && Array.isArray(answer.outcomes);

const outageOf = (givenUp: GivenUp): Outage =>
  isUnderWay(givenUp)
    ? { _tag: 'TimedOut' }
    : { _tag: 'Unavailable', part: 'Temporal', retryAfter: 1, mayHaveChanged: givenUp.mayHaveReached };

/** The server is there and may still carry it out. */
const isUnderWay = ({ kind, mayHaveReached }: GivenUp): boolean =>
  mayHaveReached && (kind === 'late' || kind === 'passing');
