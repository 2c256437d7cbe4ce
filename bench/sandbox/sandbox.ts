import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter, TypedSearchAttributes } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time';
import { coresdk } from '@temporalio/proto';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers';
import type { GroupReceipt } from '../../workflows/domain/node/hand-over';
import { applyCommandsUpdate, WORKFLOW_TYPE, workflowIdOf } from '../../workflows/messages';

type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Command = Readonly<Record<string, unknown>>;

/** A node in the sandbox. */
export interface SandboxNode {
  /** Sends a group as the API does, and throws where it was not taken. */
  readonly send: (command: Command) => Promise<void>;
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
      randomnessSeed: [1, 2, 3, 4, 5, 6, 7, 8],
      now: Date.now(),
      showStackTraceSources: false,
    });
    let historyLength = 3;
    let inStream: string | undefined;
    const activate = async (jobs: ReadonlyArray<Job>): Promise<GroupReceipt | undefined> => {
      historyLength += 5;
      const completion = await workflow.activate(
        coresdk.workflow_activation.WorkflowActivation.fromObject({
          ...{ runId, historyLength, timestamp: now(), availableInternalFlags: [1, 2, 3, 4], jobs },
        }),
      );
      await workflow.getAndResetSinkCalls();
      return answerIn(completion);
    };
    const initialize: Job = {
      initializeWorkflow: {
        ...{ workflowType: WORKFLOW_TYPE, workflowId, arguments: [], firstExecutionRunId: runId, attempt: 1 },
        startTime: now(),
      },
    };
    await activate([initialize]);
    return {
      send: async (command) => {
        const group = { commands: [command], publishBy: 'caller', ...(inStream !== undefined && { inStream }) };
        const answer = await activate([updateOf(group)]);
        inStream = answer?.unconfirmed?.at(-1)?.sequenceId ?? inStream;
      },
    };
  };
};

const now = () => msToTs(Date.now());

const updateOf = (group: object): Job => ({
  doUpdate: {
    ...{
      id: randomUUID(),
      protocolInstanceId: randomUUID(),
      name: applyCommandsUpdate.name,
      runValidator: true,
      headers: {},
    },
    input: [defaultPayloadConverter.toPayload(group)],
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
  ...{ startTime: new Date(), runStartTime: new Date(), taskTimeoutMs: 7_000, attempt: 1 },
  ...{ historyLength: 3, historySize: 300, continueAsNewSuggested: false, currentBuildId: '' },
  ...{ targetWorkerDeploymentVersionChanged: false, suggestedContinueAsNewReasons: [] },
  unsafe: {
    now: () => Date.now(),
    isReplaying: false,
    isReplayingHistoryEvents: false,
    random: createUnsafeRandomSource(Math.random),
  },
});
