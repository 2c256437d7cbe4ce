import type { IncomingHttpHeaders } from 'node:http';
import type { Middleware } from 'koa';
import { isOverfull } from '../serialised-connection';
import type { ErrorThrottle } from '../rate/error-throttle';
import type { CallState } from './call-state';

/** Bytes of a body that count as one more error, and the assumed bytes of a chunked body. */
const BYTES_OF_ONE = 4 * 1_024;
const BYTES_IN_CHUNKS = 64 * 1_024;
/** Extra cost where too many requests wait on the connection behind the refused one. */
const OVERFULL = 100;

/** Delays the response to a refused request. */
export const throttleErrors =
  (throttle: ErrorThrottle): Middleware<CallState> =>
  async (ctx, next) => {
    await next();
    const cost = costOf(ctx.headers) + (isOverfull(ctx.res) ? OVERFULL : 0);
    await throttle({ status: ctx.status, userId: ctx.state.userId, cost });
  };

const costOf = (headers: IncomingHttpHeaders): number =>
  1 +
  (headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : BYTES_IN_CHUNKS) /
    BYTES_OF_ONE;
