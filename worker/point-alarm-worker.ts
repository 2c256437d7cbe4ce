import { Worker, type NativeConnection, type WorkflowBundleOption } from '@temporalio/worker';
import type { PublishActivities } from '../activities/publish-events';

/** How much a worker takes on. */
export interface WorkerTuning {
  /** Nodes kept in memory; about 200 KB each. A miss replays the node's run. */
  readonly cachedWorkflows: number;
  readonly workflowTasks: number;
  readonly workflowTaskPollers: number;
  readonly activities: number;
}

export interface WorkerParts {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly code: WorkflowBundleOption;
  readonly activities: PublishActivities;
  readonly tuning: WorkerTuning;
  readonly shutdownMs: number;
}

/** The worker of the nodes. */
export const createPointAlarmWorker = (parts: WorkerParts): Promise<Worker> =>
  Worker.create({
    connection: parts.connection,
    namespace: parts.namespace,
    taskQueue: parts.taskQueue,
    workflowBundle: parts.code,
    activities: { ...parts.activities },
    maxCachedWorkflows: parts.tuning.cachedWorkflows,
    // More tasks at once than the cache holds would push nodes out while they work.
    maxConcurrentWorkflowTaskExecutions: Math.min(parts.tuning.workflowTasks, parts.tuning.cachedWorkflows),
    maxConcurrentWorkflowTaskPolls: parts.tuning.workflowTaskPollers,
    maxConcurrentActivityTaskExecutions: parts.tuning.activities,
    // After a crash a node waits this long before another worker takes it over.
    stickyQueueScheduleToStartTimeout: '3 seconds',
    // A node that wants to renew learns from the heartbeat's answer that a waiting publication was cancelled.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: '2 seconds',
    shutdownForceTime: parts.shutdownMs,
  });
