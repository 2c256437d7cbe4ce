import type { IncomingHttpHeaders } from 'node:http';
import type { Middleware } from 'koa';
import { isCrowded } from '../one-at-a-time';
import { secondsUntil } from '../rate/token-bucket';
import { createUserBuckets } from '../rate/user-buckets';
import type { CallState } from './call-state';

/** What is refused for what the call itself is. A conflict or an outage is not its fault. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 431]);

/** Bytes of a body that count as one more refusal; a chunked one counts as if it had so many. */
const BYTES_OF_ONE = 4 * 1_024;
const BYTES_IN_CHUNKS = 64 * 1_024;
/** A connection with too many requests behind the refused one counts as so many more. */
const CROWD = 100;
/** No answer waits longer (s): a connection without traffic is cut off after `SOCKET_TIMEOUT_MS`. */
const LONGEST_S = 2;

/**
 * Lets the answers to refusals of a user wait once he has more of them than `perSecond`; calls without a good token count as
 * those of one user. Who waits for answers sends no faster than they come, on however many connections, so bad calls cannot
 * take all of the process from good ones. 0 lets nothing wait.
 */
export const paceRefusals = (perSecond: number, now: () => number = () => performance.now()): Middleware<CallState> => {
  const rate = { perSecond, burst: perSecond / 2 };
  const buckets = createUserBuckets(rate, now);
  return async (ctx, next) => {
    await next();
    if (perSecond === 0 || !REFUSED.has(ctx.status)) return;
    const cost = costOf(ctx.headers) + (isCrowded(ctx.res) ? CROWD : 0);
    const left = buckets.charge(ctx.state.userId ?? '', cost);
    const wait = Math.min(LONGEST_S, secondsUntil(rate, left, 0));
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
  };
};

const costOf = (headers: IncomingHttpHeaders): number =>
  1 +
  (headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : BYTES_IN_CHUNKS) /
    BYTES_OF_ONE;
