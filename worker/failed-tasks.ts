/** The SDK's counter of workflow tasks that failed: a defect, or a history that this release cannot replay. */
const COUNTER = 'temporal_workflow_task_execution_failed_total';

/** How many workflow tasks failed in this worker since it began, by its metrics as Prometheus text. Each is tried again. */
export const failedTasksIn = (metrics: string): number =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(`${COUNTER}{`) || line.startsWith(`${COUNTER} `))
    .reduce((sum, line) => sum + (Number(/\s(\S+)$/u.exec(line.trim())?.[1]) || 0), 0);
