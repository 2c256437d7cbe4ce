import type { PayloadCodec } from '@temporalio/common';
import { Worker, type NativeConnection, type WorkerOptions, type WorkflowBundleOption } from '@temporalio/worker';
import type { PublishActivities } from '../activities/publish-events';
import type { WorkerSettings } from '../process/settings';

export interface WorkerParts {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly code: WorkflowBundleOption;
  readonly activities: PublishActivities;
  /** Codecs between Temporal's payloads and those of the nodes. */
  readonly payloadCodecs?: ReadonlyArray<PayloadCodec>;
  readonly capacity: WorkerSettings['capacity'];
  readonly deployment?: WorkerSettings['deployment'];
  readonly shutdownDeadlineMs: number;
}

/** Grace period (ms) for waiting publications to end once the worker stops. */
const GRACE_MS = 2_000;

/** The worker of the nodes. */
export const createPointAlarmWorker = (parts: WorkerParts): Promise<Worker> =>
  Worker.create({
    connection: parts.connection,
    namespace: parts.namespace,
    taskQueue: parts.taskQueue,
    workflowBundle: parts.code,
    activities: { ...parts.activities },
    dataConverter: { payloadCodecs: [...(parts.payloadCodecs ?? [])] },
    ...(parts.deployment !== undefined && versioned(parts.deployment)),
    maxCachedWorkflows: parts.capacity.cachedWorkflows,
    maxConcurrentWorkflowTaskExecutions: parts.capacity.workflowTasks,
    maxConcurrentWorkflowTaskPolls: parts.capacity.workflowTaskPollers,
    maxConcurrentActivityTaskExecutions: parts.capacity.activities,
    maxConcurrentActivityTaskPolls: parts.capacity.activityPollers,
    // After a crash a node waits this long before another worker takes it over.
    stickyQueueScheduleToStartTimeout: parts.capacity.stickyTimeoutMs,
    // The heartbeat's answer cancels a waiting publication of a node that wants to continue as new.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: Math.min(GRACE_MS, parts.shutdownDeadlineMs / 2),
    shutdownForceTime: parts.shutdownDeadlineMs,
  });

/** Nodes move to the deployment's current version at their next task (docs/upgrades.md, "By versions"). */
const versioned = ({
  name,
  buildId,
}: NonNullable<WorkerParts['deployment']>): Pick<WorkerOptions, 'workerDeploymentOptions'> => ({
  workerDeploymentOptions: {
    version: { deploymentName: name, buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  },
});
