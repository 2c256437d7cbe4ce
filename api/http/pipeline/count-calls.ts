import type { Middleware } from 'koa';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { CallState } from './call-state';
import { observed } from './observed';

/** Counts and times calls and problems, by the template of the route, never by node. */
export const countCalls = (registry: Registry): Middleware<CallState> => {
  const duration = new Histogram({
    name: 'point_alarm_http_request_duration_seconds',
    help: 'Time from the head of a request to its answer, by route, method and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const problems = new Counter({
    name: 'point_alarm_problems_total',
    help: 'Calls answered with a problem, by its type.',
    labelNames: ['type'],
    registers: [registry],
  });
  return observed(({ method, state: { route, problem } }, status, seconds) => {
    if (problem !== undefined) problems.inc({ type: problem });
    duration.observe(
      { method: route === undefined ? 'any' : method, route: route ?? 'none', status: String(status) },
      seconds,
    );
  });
};
