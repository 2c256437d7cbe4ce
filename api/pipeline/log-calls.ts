import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { CallState } from './call-state';
import { observed } from './observed';

/** One line a call: ids, never bodies. */
export const logCalls = (log: Logger): Middleware<CallState> =>
  observed(({ method, state }, status, seconds) => {
    const { requestId, route, userId, nodeId, isOpen } = state;
    const line = { method, route, status, ms: Math.round(seconds * 1_000), requestId, userId, nodeId };
    if (isOpen === true) log.debug(line, 'call');
    else if (status >= 500) log.warn(line, 'call');
    else log.info(line, 'call');
  });
