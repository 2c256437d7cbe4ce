import type { IncomingHttpHeaders } from 'node:http';
import type { Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { pause } from '../../process/backoff';
import type { CallState } from './answer';

/** Waits until the answer to a user may be sent; without a good token it is nobody's. `cost`: its weight, in errors. */
export type ErrorTurn = (status: number, cost: number, userId?: string) => Promise<void>;

/** Errors that the request itself causes; a conflict or an outage is not its fault. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 431]);

/** Time (ms) between two errors of a user. One costs two cores as much as an eighth of a measurement does. */
const EACH_MS = 10;
/** Time (ms) of errors that are answered at once after a pause. */
const BURST_MS = 200;
/** Longest delay (ms) of an answer: a silent connection is cut off, and a flood is forgotten after twice that. */
const LONGEST_MS = 2_000;

const MOST_USERS = 10_000;

/**
 * Error answers of a user wait once they come faster than one for each `EACH_MS`; requests without a good token count as those of
 * one user. An answer waits for the cost of those before it: a lone one is sent at once (docs/admission.md). `now`: in ms, monotonic.
 */
export const createErrorTurns = (now: () => number = () => performance.now(), wait = pause): ErrorTurn => {
  /** When the errors of a user so far are paid for. */
  const paid = new LRUCache<string, number>({ max: MOST_USERS });
  return async (status, cost, userId = '') => {
    if (!REFUSED.has(status)) return;
    const at = Math.max(now(), paid.get(userId) ?? 0);
    paid.set(userId, Math.min(at + cost * EACH_MS, now() + 2 * LONGEST_MS));
    const ms = Math.min(LONGEST_MS, at - now() - BURST_MS);
    if (ms > 0) await wait(ms);
  };
};

/** Bytes of a body that count as one more error, and the assumed bytes of a chunked body. */
const BYTES_OF_ONE = 4 * 1_024;
const BYTES_IN_CHUNKS = 64 * 1_024;

/** Delays the answer to a bad request until its turn. */
export const delayErrors =
  (turn: ErrorTurn): Middleware<CallState> =>
  async (ctx, next) => {
    await next();
    await turn(ctx.status, 1 + bytesOf(ctx.headers) / BYTES_OF_ONE, ctx.state.userId);
  };

const bytesOf = (headers: IncomingHttpHeaders): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : BYTES_IN_CHUNKS;
