import type { Page } from '../process/page-server';
import { VERSION } from '../process/version';

/** What the worker's own endpoints answer with. */
export interface Health {
  /** The dependencies that do not answer; none means ready. */
  readonly unavailable: () => Promise<ReadonlyArray<string>>;
  /** Number of failed workflow tasks. A node whose task keeps failing takes no calls; the worker serves the others. */
  readonly failedTasks: () => Promise<number>;
  /** Prometheus text. */
  readonly metrics: () => Promise<string>;
}

/** The pages `/healthz`, `/readyz` and `/metrics`. */
export const healthPages =
  ({ unavailable, failedTasks, metrics }: Health) =>
  async (path: string): Promise<Page> => {
    switch (path) {
      case '/healthz':
        return json(200, { status: 'alive', version: VERSION });
      case '/readyz': {
        const [dependencies, failedWorkflowTasks] = await Promise.all([unavailable(), failedTasks()]);
        const isReady = dependencies.length === 0;
        const status = isReady ? 'ready' : 'not ready';
        return json(isReady ? 200 : 503, { status, dependencies, failedWorkflowTasks });
      }
      case '/metrics':
        return { status: 200, type: 'text/plain; version=0.0.4', body: await metrics() };
      default:
        return json(404, { status: 'not found' });
    }
  };

const json = (status: number, body: object): Page => ({ status, type: 'application/json', body: JSON.stringify(body) });

/** The SDK's counter of failed workflow tasks: a defect, or a history that this release cannot replay. */
const COUNTER = 'temporal_workflow_task_execution_failed_total';

/** The number of failed workflow tasks since the start of this worker, from its metrics as Prometheus text. Each is retried. */
export const failedTasksIn = (metrics: string): number =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(`${COUNTER}{`) || line.startsWith(`${COUNTER} `))
    .reduce((sum, line) => sum + (Number(/\s(\S+)$/u.exec(line.trim())?.[1]) || 0), 0);
