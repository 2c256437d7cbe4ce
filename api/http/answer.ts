import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { TraceContext } from '../../workflows/domain/node/cause';
import { REQUEST_NAME_LENGTH } from '../../workflows/domain/limits';
import { catalogue } from '../contract/problems/catalogue';
import { type Problem, PROBLEM_MEDIA_TYPE, problemBody } from '../contract/problems/problem';
import type { Answer } from '../contract/route';

/** What is known of a call, for log and metrics. `requestId` and `trace` are set before anything else. */
export interface CallState {
  requestId: string;
  trace: TraceContext;
  /** The route that matched. Only routes that need no token (health, metrics and documents) have `answer`. */
  route?: { readonly id: string; readonly path: string; readonly answer?: unknown };
  userId?: string;
  nodeId?: string;
  problem?: string;
  /** Whether the command had nothing to do, or was a repeat. */
  isUnchanged?: boolean;
}

/** A page for people, which needs no token. The OpenAPI document leaves it out. */
export interface PageRoute {
  readonly id: string;
  readonly path: string;
  /** Whether surplus requests (`request-turns.ts`) are answered too, because the answer costs no more than a refusal. */
  readonly isProbe?: boolean;
  /** Answers the request through `ctx`. If it returns a promise, the answer is ready once the promise resolves. */
  readonly answer: (ctx: RouterContext<CallState>) => unknown;
}

type Answering = Context & { readonly state: CallState };

const SANE = new RegExp(`^[\\w.-]{1,${REQUEST_NAME_LENGTH}}$`, 'u');

const REQUEST_ID = 'X-Request-Id';

/** A new request id: 96 random bits in 16 characters. */
export const newRequestId = (): string => randomBytes(12).toString('base64url');

/** Sets the request id of the call and its answer: the caller's id if that is valid, else a new one. */
export const setRequestId = (ctx: Answering): void => {
  const given = ctx.get(REQUEST_ID);
  ctx.state.requestId = SANE.test(given) ? given : newRequestId();
  ctx.set(REQUEST_ID, ctx.state.requestId);
};

export const answerWith = (ctx: Answering, { status, headers = {}, body, pieces, outcome }: Answer): void => {
  if (outcome === 'Unchanged') ctx.state.isUnchanged = true;
  ctx.set(headers);
  if (body !== undefined || pieces !== undefined) ctx.set('Content-Type', 'application/json');
  if (pieces !== undefined) {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    ctx.body = length > CHUNK_BYTES ? Readable.from(inChunks(pieces)) : Buffer.concat(pieces);
    ctx.length = length;
  } else ctx.body = body === undefined ? null : JSON.stringify(body);
  ctx.status = status;
};

/** Small pieces are joined into writes of at least this many bytes. Only the last write of an answer may be shorter. */
const CHUNK_BYTES = 65_536;

/** The bytes of `pieces` in chunks, so that a long answer is never copied as a whole. */
function* inChunks(pieces: ReadonlyArray<Buffer>): Generator<Buffer> {
  let [first, bytes] = [0, 0];
  for (const [index, { length }] of pieces.entries()) {
    bytes += length;
    if (bytes < CHUNK_BYTES && index < pieces.length - 1) continue;
    yield Buffer.concat(pieces.slice(first, index + 1));
    [first, bytes] = [index + 1, 0];
  }
}

export const answerProblem = (ctx: Answering, problem: Problem): void => {
  ctx.state.problem = problem.type;
  ctx.set(problem.headers);
  ctx.set('Content-Type', PROBLEM_MEDIA_TYPE);
  ctx.body = JSON.stringify(problemBody(problem, ctx.path, ctx.state.requestId));
  ctx.status = catalogue[problem.type].status;
};
