import type { ParameterizedContext } from 'koa';
import type { Registry } from 'prom-client';
import { withoutRedaction, type Log } from '../../process/log';
import { counter, histogram } from '../../process/metrics';
import { workflowIdOf } from '../../workflows/messages';
import type { CallState } from './answer';

/** Status, in log and metrics only, of a call that failed after its caller had disconnected. nginx uses the same number. */
const CALLER_GONE = 499;

/** Logs each call in one line, with ids but never bodies. Counts and times calls by their route's template, never by node. */
export const createObserver = (log: Log, registry: Registry) => {
  const calls = withoutRedaction(log);
  const duration = histogram(registry, 'point_alarm_http_request_duration_seconds');
  const problems = counter(registry, 'point_alarm_problems_total');
  return ({ method, state, status: answered, res }: ParameterizedContext<CallState>, seconds: number): void => {
    const { requestId, trace, route, userId, nodeId } = state;
    const isGone = answered >= 400 && res.closed;
    const status = isGone ? CALLER_GONE : answered;
    if (state.problem !== undefined && !isGone) problems(1, { type: state.problem });
    duration(seconds, { method: route ? method : 'any', route: route?.path ?? 'none', status: String(status) });
    const line = {
      method,
      route: route?.path,
      operation: route?.id,
      status,
      outcome: isGone ? 'gone' : (state.problem ?? (state.isUnchanged === true ? 'unchanged' : 'done')),
      ms: Math.round(seconds * 1_000),
      requestId,
      traceId: trace.traceId,
      spanId: trace.spanId,
      userId,
      nodeId,
      workflowId: nodeId === undefined ? undefined : workflowIdOf(nodeId),
    };
    const isPolled = route?.answer !== undefined;
    calls[isPolled ? 'debug' : status >= 500 ? 'warn' : 'info'](line, 'call');
  };
};
