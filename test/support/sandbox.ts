import { randomBytes, randomUUID } from 'node:crypto';
import { defaultPayloadConverter, TypedSearchAttributes } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time';
import { coresdk } from '@temporalio/proto';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers';
import type { GroupReceipt } from '../../workflows/domain/node/apply-group';
import { applyCommandsUpdate, WORKFLOW_TYPE, workflowIdOf } from '../../workflows/messages';

type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Command = Readonly<Record<string, unknown>>;

export interface SandboxNode {
  /** Activates it as the SDK's core does: jobs in the core's order, and what differs from an activation right now. */
  readonly activate: (
    jobs: ReadonlyArray<Job>,
    more?: Readonly<Record<string, unknown>>,
  ) => Promise<coresdk.workflow_completion.IWorkflowActivationCompletion>;
  /** Sends a group as the API does, and throws where it was not taken. */
  readonly send: (command: Command) => Promise<coresdk.workflow_completion.IWorkflowActivationCompletion>;
}

/** The SDK's own sandbox with `code`, in this thread and without a server: what a worker's thread of workflows does. */
export const createSandbox = async (code: string): Promise<() => Promise<SandboxNode>> => {
  const bundle = parseWorkflowCode(code);
  const creator = await ReusableVMWorkflowCreator.create(bundle, 5_000, new Set(['publishEvents']));
  return async () => {
    const runId = randomUUID();
    const workflowId = workflowIdOf(randomUUID());
    const workflow = await creator.createWorkflow({
      info: infoOf(workflowId, runId),
      randomnessSeed: [...randomBytes(8)],
      now: Date.now(),
      showStackTraceSources: false,
    });
    let historyLength = 3;
    let published: string | undefined;
    const activate: SandboxNode['activate'] = async (jobs, more = {}) => {
      historyLength += 5;
      const completion = await workflow.activate(
        coresdk.workflow_activation.WorkflowActivation.fromObject({
          ...{ runId, historyLength, timestamp: now(), availableInternalFlags: [1, 2, 3, 4], jobs, ...more },
        }),
      );
      await workflow.getAndResetSinkCalls();
      return completion;
    };
    const initialize: Job = {
      initializeWorkflow: {
        ...{ workflowType: WORKFLOW_TYPE, workflowId, arguments: [], firstExecutionRunId: runId, attempt: 1 },
        startTime: now(),
      },
    };
    await activate([initialize]);
    return {
      activate,
      send: async (command) => {
        const group = { commands: [command], relay: 'api', ...(published !== undefined && { published }) };
        const completion = await activate([updateOf(applyCommandsUpdate.name, group)]);
        const answer = answerIn(completion);
        published = answer?.unconfirmed?.at(-1)?.sequenceId ?? published;
        return completion;
      },
    };
  };
};

/** No two workflow tasks begin at the same time. */
let last = 0;
const now = () => msToTs((last = Math.max(Date.now(), last + 1)));

export const updateOf = (name: string, payload: object): Job => ({
  doUpdate: {
    ...{ id: randomUUID(), protocolInstanceId: randomUUID(), name, runValidator: true, headers: {} },
    input: [defaultPayloadConverter.toPayload(payload)],
    meta: { updateId: randomUUID(), identity: 'bench' },
  },
});

const answerIn = ({
  successful,
  failed,
}: coresdk.workflow_completion.IWorkflowActivationCompletion): GroupReceipt | undefined => {
  if (failed != null) throw new Error(`the activation failed: ${JSON.stringify(failed)}`);
  for (const { updateResponse } of successful?.commands ?? []) {
    if (updateResponse?.rejected != null) throw new Error(`refused: ${JSON.stringify(updateResponse.rejected)}`);
    if (updateResponse?.completed != null) return defaultPayloadConverter.fromPayload(updateResponse.completed);
  }
  return undefined;
};

const infoOf = (workflowId: string, runId: string) => ({
  ...{ workflowId, runId, workflowType: WORKFLOW_TYPE, taskQueue: 'bench', namespace: 'default' },
  ...{ firstExecutionRunId: runId, originalExecutionRunId: runId },
  ...{ searchAttributes: {}, typedSearchAttributes: new TypedSearchAttributes() },
  ...{ startTime: new Date(), runStartTime: new Date(), taskTimeoutMs: 5_000, attempt: 1 },
  ...{ historyLength: 3, historySize: 300, continueAsNewSuggested: false, currentBuildId: '' },
  ...{ targetWorkerDeploymentVersionChanged: false, suggestedContinueAsNewReasons: [] },
  unsafe: {
    now: () => Date.now(),
    isReplaying: false,
    isReplayingHistoryEvents: false,
    random: createUnsafeRandomSource(Math.random),
  },
});
