import type { Registry } from 'prom-client';
import type { Dependencies } from '../process/dependencies';
import type { Page } from '../process/page-server';
import { singleFlight } from '../process/single-flight';
import { VERSION } from '../process/version';

/**
 * The pages `/healthz`, `/readyz` and `/metrics` of a worker. The last two ask the SDK for its metrics (`ask`) at most once per
 * second. If the SDK does not answer, they use the worker's own metrics alone. A workflow task that fails blocks the calls of
 * its own node only, so the worker stays ready for all other nodes.
 */
export const healthPages = (dependencies: Dependencies, metrics: Registry, ask: () => Promise<string>) => {
  const readMetrics = singleFlight(async () =>
    (await Promise.all([metrics.metrics(), ask().catch(() => '')])).join(''),
  );
  return async (path: string): Promise<Page> => {
    switch (path) {
      case '/healthz':
        return json(200, { status: 'alive', version: VERSION });
      case '/readyz': {
        const failedTasks = readMetrics().then(failedTasksIn, () => 0);
        const [unavailable, failedWorkflowTasks] = await Promise.all([dependencies.unavailable(), failedTasks]);
        const isReady = unavailable.length === 0;
        const status = isReady ? 'ready' : 'not ready';
        return json(isReady ? 200 : 503, { status, dependencies: unavailable, failedWorkflowTasks });
      }
      case '/metrics':
        return { status: 200, type: 'text/plain; version=0.0.4', body: await readMetrics() };
      default:
        return json(404, { status: 'not found' });
    }
  };
};

const json = (status: number, body: object): Page => ({ status, type: 'application/json', body: JSON.stringify(body) });

/** Counters of workflow tasks that failed (defect, or a history unknown to this release) or whose outcome Temporal rejected. */
const COUNTER = /^(?:temporal_workflow_task_execution_failed|point_alarm_rejected_workflow_tasks)_total[ {]/u;

/** Number of failed or rejected workflow tasks since this worker started, by its metrics (Prometheus text). All are retried. */
export const failedTasksIn = (metrics: string): number =>
  metrics
    .split('\n')
    .filter((line) => COUNTER.test(line))
    .reduce((sum, line) => sum + (Number(/\s(\S+)$/u.exec(line.trim())?.[1]) || 0), 0);
