import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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

const PORTS_TRIED = 100;

/** Serves `/healthz`, `/readyz` and `/metrics` on `port`, or the next free one. */
export const serveHealth = async (
  host: string,
  port: number,
  health: Health,
): Promise<{ readonly server: Server; readonly port: number }> => {
  const server = createServer((request, response) => {
    answer(health, request.url ?? '', response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  for (let tried = port; ; tried += 1) {
    try {
      server.listen(tried, host);
      await once(server, 'listening');
      return { server, port: (server.address() as AddressInfo).port };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried >= port + PORTS_TRIED) throw error;
    }
  }
};

/** Stops serving, and closes all connections. */
export const closeHealth = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });

const answer = async (
  { unavailable, failedTasks, metrics }: Health,
  url: string,
  response: ServerResponse,
): Promise<void> => {
  switch (url) {
    case '/healthz':
      respond(response, 200, 'application/json', JSON.stringify({ status: 'alive', version: VERSION }));
      return;
    case '/readyz': {
      const [missing, failedWorkflowTasks] = await Promise.all([unavailable(), failedTasks()]);
      const status = missing.length === 0 ? 'ready' : 'not ready';
      respond(
        response,
        missing.length === 0 ? 200 : 503,
        'application/json',
        JSON.stringify({ status, dependencies: missing, failedWorkflowTasks }),
      );
      return;
    }
    case '/metrics':
      respond(response, 200, 'text/plain; version=0.0.4', await metrics());
      return;
    default:
      respond(response, 404, 'application/json', '{"status":"not found"}');
  }
};

const respond = (response: ServerResponse, status: number, type: string, body: string): void => {
  response.writeHead(status, { 'Content-Type': type });
  response.end(body);
};

/** The SDK's counter of failed workflow tasks: a defect, or a history that this release cannot replay. */
const COUNTER = 'temporal_workflow_task_execution_failed_total';

/** The number of failed workflow tasks since the start of this worker, from its metrics as Prometheus text. Each is retried. */
export const failedTasksIn = (metrics: string): number =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(`${COUNTER}{`) || line.startsWith(`${COUNTER} `))
    .reduce((sum, line) => sum + (Number(/\s(\S+)$/u.exec(line.trim())?.[1]) || 0), 0);
