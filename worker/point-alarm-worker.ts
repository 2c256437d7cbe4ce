import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { WorkerSettings } from '../process/settings';

/** The settings that say how much a worker does at once, when it stops, and which version it is. */
export type WorkerCapacity = Pick<
  WorkerSettings,
  | 'MAX_CACHED_WORKFLOWS'
  | 'MAX_CONCURRENT_WORKFLOW_TASKS'
  | 'MAX_CONCURRENT_ACTIVITIES'
  | 'WORKFLOW_TASK_POLLERS'
  | 'ACTIVITY_POLLERS'
  | 'STICKY_TIMEOUT_MS'
  | 'SHUTDOWN_DEADLINE_MS'
> &
  Partial<Pick<WorkerSettings, 'WORKER_DEPLOYMENT' | 'WORKER_BUILD_ID'>>;

/** Grace period (ms) for waiting publications to end once the worker stops. */
const GRACE_MS = 2_000;

/** The worker of the nodes, on what `options` say beyond its settings: connection, task queue, code, activities, codecs. */
export const createPointAlarmWorker = (options: WorkerOptions, settings: WorkerCapacity): Promise<Worker> =>
  Worker.create({
    ...options,
    ...versioned(settings),
    maxCachedWorkflows: settings.MAX_CACHED_WORKFLOWS,
    maxConcurrentWorkflowTaskExecutions: settings.MAX_CONCURRENT_WORKFLOW_TASKS,
    maxConcurrentWorkflowTaskPolls: settings.WORKFLOW_TASK_POLLERS,
    maxConcurrentActivityTaskExecutions: settings.MAX_CONCURRENT_ACTIVITIES,
    maxConcurrentActivityTaskPolls: settings.ACTIVITY_POLLERS,
    // After a crash a node waits this long before another worker takes it over.
    stickyQueueScheduleToStartTimeout: settings.STICKY_TIMEOUT_MS,
    // The heartbeat's answer cancels a waiting publication of a node that wants to continue as new.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: Math.min(GRACE_MS, settings.SHUTDOWN_DEADLINE_MS / 2),
    shutdownForceTime: settings.SHUTDOWN_DEADLINE_MS,
  });

/** Nodes move to the deployment's current version at their next task (docs/upgrades.md, "By versions"). */
const versioned = ({
  WORKER_DEPLOYMENT: deploymentName,
  WORKER_BUILD_ID: buildId,
}: WorkerCapacity): Pick<WorkerOptions, 'workerDeploymentOptions'> =>
  deploymentName === undefined || buildId === undefined
    ? {}
    : {
        workerDeploymentOptions: {
          version: { deploymentName, buildId },
          useWorkerVersioning: true,
          defaultVersioningBehavior: 'AUTO_UPGRADE',
        },
      };
