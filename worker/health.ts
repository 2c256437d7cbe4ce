import type { Registry } from 'prom-client';
import type { Dependencies } from '../process/dependencies';
import type { Page } from '../process/page-server';
import { shared } from '../process/shared';
import { VERSION } from '../process/version';

/**
 * The pages `/healthz`, `/readyz` and `/metrics`; the SDK is asked for its metrics at most once per second, and its silence keeps
 * back no others. A failed workflow task does not make the worker unready: a node whose task keeps failing takes no calls, and the
 * worker serves the others.
 */
export const healthPages = (dependencies: Dependencies, metrics: Registry, ask: () => Promise<string>) => {
  const shown = shared(async () => (await Promise.all([metrics.metrics(), ask().catch(() => '')])).join(''));
  return async (path: string): Promise<Page> => {
    switch (path) {
      case '/healthz':
        return json(200, { status: 'alive', version: VERSION });
      case '/readyz': {
        const failedTasks = shown().then(failedTasksIn, () => 0);
        const [unavailable, failedWorkflowTasks] = await Promise.all([dependencies.unavailable(), failedTasks]);
        const isReady = unavailable.length === 0;
        const status = isReady ? 'ready' : 'not ready';
        return json(isReady ? 200 : 503, { status, dependencies: unavailable, failedWorkflowTasks });
      }
      case '/metrics':
        return { status: 200, type: 'text/plain; version=0.0.4', body: await shown() };
      default:
        return json(404, { status: 'not found' });
    }
  };
};

const json = (status: number, body: object): Page => ({ status, type: 'application/json', body: JSON.stringify(body) });

/** Counters of failed workflow tasks: a defect, or a history that this release cannot replay; and what Temporal did not take. */
const COUNTER = /^(?:temporal_workflow_task_execution_failed|point_alarm_rejected_workflow_tasks)_total[ {]/u;

/** The number of failed workflow tasks since the start of this worker, from its metrics as Prometheus text. Each is retried. */
export const failedTasksIn = (metrics: string): number =>
  metrics
    .split('\n')
    .filter((line) => COUNTER.test(line))
    .reduce((sum, line) => sum + (Number(/\s(\S+)$/u.exec(line.trim())?.[1]) || 0), 0);
