import type { Middleware } from 'koa';
import { unsearched, type Log } from '../../../process/log';
import { workflowIdOf } from '../../../workflows/names';
import type { CallState } from './call-state';
import { observed } from './observed';

/** Logs one line per call: caller, operation, outcome; ids, never bodies. */
export const logCalls = (log: Log): Middleware<CallState> => {
  const calls = unsearched(log);
  return observed(({ method, state }, status, seconds) => {
    const { requestId, trace, route, operation, userId, nodeId, isOpen, isUnchanged } = state;
    const line = {
      method,
      route,
      operation,
      status,
      outcome: state.problem ?? (isUnchanged === true ? 'unchanged' : 'done'),
      ms: Math.round(seconds * 1_000),
      requestId,
      traceId: trace?.traceId,
      spanId: trace?.spanId,
      userId,
      nodeId,
      workflowId: nodeId === undefined ? undefined : workflowIdOf(nodeId),
    };
    if (isOpen === true) calls.debug(line, 'call');
    else if (status >= 500) calls.warn(line, 'call');
    else calls.info(line, 'call');
  });
};
