import type { IncomingHttpHeaders } from 'node:http';
import type { Middleware } from 'koa';
import { isCrowded } from '../one-at-a-time';
import type { RefusalPace } from '../rate/refusal-pace';
import type { CallState } from './call-state';

/** Bytes of a body that count as one more refusal; a chunked one counts as if it had so many. */
const BYTES_OF_ONE = 4 * 1_024;
const BYTES_IN_CHUNKS = 64 * 1_024;
/** A connection with too many requests behind the refused one counts as so many more. */
const CROWD = 100;

/** Lets the answer to a refused call wait its turn. */
export const paceRefusals =
  (pace: RefusalPace): Middleware<CallState> =>
  async (ctx, next) => {
    await next();
    const cost = costOf(ctx.headers) + (isCrowded(ctx.res) ? CROWD : 0);
    await pace({ status: ctx.status, userId: ctx.state.userId, cost });
  };

const costOf = (headers: IncomingHttpHeaders): number =>
  1 +
  (headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : BYTES_IN_CHUNKS) /
    BYTES_OF_ONE;
