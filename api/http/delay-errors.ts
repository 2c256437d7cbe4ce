import type { IncomingHttpHeaders } from 'node:http';
import type { Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { pause } from '../../process/backoff';
import type { CallState } from './answer';

/** Waits until an answer may be sent. `cost`: how many errors it counts as. A caller without a valid token has no `userId`. */
export type ErrorTurn = (status: number, cost: number, userId?: string) => Promise<void>;

/** The statuses of the errors that are delayed. The request itself causes them, unlike conflicts and outages. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 431]);

/** Interval (ms) between a user's error answers in a flood. On two cores an error costs an eighth as much as a measurement. */
const EACH_MS = 10;
/** A burst of errors is not delayed while it adds up to at most this time (ms), at `EACH_MS` for each error. */
const BURST_MS = 200;
/** Longest delay (ms) of an answer, as silent connections are cut off. A flood is forgotten after at most twice this time. */
const LONGEST_MS = 2_000;

const MOST_USERS = 10_000;

/**
 * Delays a user's error answers that come faster than one per `EACH_MS`. All callers without a valid token count as one user.
 * An answer waits only for the cost of earlier errors, so a single error is answered at once (docs/contributing/admission.md).
 * `now`: a clock in ms that never goes back.
 */
export const createErrorTurns = (now: () => number = () => performance.now(), wait = pause): ErrorTurn => {
  /** For each user, when the errors so far no longer count (a time of `now`). Each error adds its cost times `EACH_MS`. */
  const paid = new LRUCache<string, number>({ max: MOST_USERS });
  return async (status, cost, userId = '') => {
    if (!REFUSED.has(status)) return;
    const at = Math.max(now(), paid.get(userId) ?? 0);
    paid.set(userId, Math.min(at + cost * EACH_MS, now() + 2 * LONGEST_MS));
    const ms = Math.min(LONGEST_MS, at - now() - BURST_MS);
    if (ms > 0) await wait(ms);
  };
};

/** This many bytes of a body count as one more error. A chunked body, of unknown length, counts as `BYTES_IN_CHUNKS`. */
const BYTES_OF_ONE = 4 * 1_024;
const BYTES_IN_CHUNKS = 64 * 1_024;

export const delayErrors =
  (turn: ErrorTurn): Middleware<CallState> =>
  async (ctx, next) => {
    await next();
    await turn(ctx.status, 1 + bytesOf(ctx.headers) / BYTES_OF_ONE, ctx.state.userId);
  };

const bytesOf = (headers: IncomingHttpHeaders): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : BYTES_IN_CHUNKS;
